"""The collect service: people randomize what they send, the server mines what is true."""

from discreet.randomize.collect.campaign import Campaign, ServiceLimits, read_items, read_operator
from discreet.randomize.collect.client import Client, Sent, Upload, UploadError
from discreet.randomize.collect.results import (
    NewCampaign,
    campaign_release,
    create_campaign,
    mine_campaign,
)
from discreet.randomize.collect.serve import check_port, serve
from discreet.randomize.collect.store import CampaignStore, Tokens, open_campaign

__all__ = [
    "Campaign",
    "CampaignStore",
    "Client",
    "NewCampaign",
    "Sent",
    "ServiceLimits",
    "Tokens",
    "Upload",
    "UploadError",
    "campaign_release",
    "check_port",
    "create_campaign",
    "mine_campaign",
    "open_campaign",
    "read_items",
    "read_operator",
    "serve",
]
