"""What names of columns say of their values: names of people, contact data, numbers of patients.

In English, German, French, Spanish, Italian and Dutch, compared in small letters without accents,
words joined by underscores.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# What columns are called, in English, German, French, Spanish, Italian and Dutch: small letters
# without accents, words joined by underscores.

_PERSON = (
    r"(?:patient(?:en|in|innen|e)?s?|pat|pacientes?|pazient[ei]|"
    r"customers?|clients?|clientes?|clienti|kund(?:en?|in|innen)?|klant(?:en)?|"
    r"persons?|personen|persoon|personnes?|personas?|persone|people|individuals?|"
    r"members?|mitglied(?:er|s)?|miembros?|lid|leden|adherents?|socios?|"
    r"insured|insurees?|policy_?holders?|versichert(?:en?|er)?|assures?|asegurados?|assicurat[oi]|"
    r"subscribers?|abonn(?:ent|enten|es?)|users?|nutzer|benutzer|utilisateurs?|usuarios?|utenti?|"
    r"subjects?|participants?|proband(?:en|in)?|teilnehmer|respondents?|deelnemers?|"
    r"employees?|workers?|mitarbeiter|beschaftigten?|employes?|empleados?|dipendent[ei]|"
    r"medewerkers?|students?|pupils?|schuler|studenten|eleves?|etudiants?|alumn[oa]s?|studenti|"
    r"leerling(?:en)?|citizens?|burger|residents?|bewohner|beneficiar(?:y|ies)|beneficiaires?|"
    r"borrowers?|voters?|donors?|spender|drivers?|fahrer|passengers?|guests?|cardholders?)"
)
_NUMBER = (
    r"(?:ids?|ident|identifiers?|identifikation|nr|no|num|numbers?|nummer|nummern|numero|n|key|"
    r"schlussel|code|pseudonym|hash|uu?id|guid|index|pk)"
)
# Things that have names and numbers too: theirs say nothing of a person.
_THING = (
    r"(?:hospitals?|clinics?|klinik|krankenhaus|ward|station|department|dept|abteilung|unit|team|"
    r"store|shop|filiale|branch|product|produkt|article|artikel|item|sku|drug|medication|"
    r"medikament|brand|marke|company|firma|firm|employer|org|organi[sz]ation|institution|agency|"
    r"school|schule|class|course|kurs|category|group|gruppe|types?|typ|kind|status|state|country|"
    r"land|region|district|county|city|town|stadt|ort|village|municipality|gemeinde|place|"
    r"location|site|building|room|zimmer|device|sensor|machine|model|version|batch|lot|campaign|"
    r"study|studie|project|projekt|event|file|table|column|field|variable|test|species|currency|"
    r"language|plan|tariff|tarif|disease|diagnos[ei]s|icd|procedure|provider|supplier|vendor|"
    r"insurer|bank|job|industry|occupation|hopital|service|producto|prodotto|product)"
)
# What happens to people: rows of one event are of one person, who may have several.
_EVENT = (
    r"(?:cases?|fall|admissions?|aufnahme|visits?|besuch|encounters?|stays?|aufenthalt|episodes?|"
    r"orders?|bestell(?:ung)?|auftrag|invoices?|rechnungs?|transactions?|buchungs?|bookings?|"
    r"claims?|schaden|records?|requests?|sessions?|trips?|tickets?|sejour|commande|pedido|ordine)"
)

_IS_PERSON_NUMBER = re.compile(
    rf"(?:^|_){_PERSON}_?{_NUMBER}(?:_|$)|"
    rf"(?:^|_){_NUMBER}_(?:(?:of|de|du|del|di|van|der|des|la)_)*{_PERSON}(?:_|$)|"
    r"(?:^|_)(?:pid|mrn|pseudonym|ipp|nhc)(?:_|$)"
)
_IS_THING = re.compile(rf"(?:^|_){_THING}s?(?:_|$)")
_IS_EVENT_NUMBER = re.compile(rf"(?:^|_){_EVENT}_?{_NUMBER}(?:_|$)")
_IS_NUMBER = re.compile(
    r"(?:^|_)(?:ids?|ident|identifier|nr|no|numbers?|nummer|numero|key|schlussel|hash)(?:_|$)"
)
# In the singular: `persons` and `members` count them.
_IS_PERSON = re.compile(
    r"patient|patientin|paciente|paziente|customer|client|cliente|kunde|kundin|klant|person|persona|"
    r"personne|persoon|member|mitglied|user|nutzer|subject|participant|proband|probandin|"
    r"teilnehmer|respondent|employee|mitarbeiter|student|pupil|schuler|citizen|donor|insured"
)
_IS_PLACE_OR_TIME = re.compile(
    r"zip|plz|post|(?:^|_)cp(?:_|$)|geo|icd|atc|date|datum|fecha|birth|geb(?:urt|oren)|naissance|"
    r"year|jahr|time|zeit|street|strasse|house|haus|room|amount|betrag|price|preis|income|salary|"
    r"count|anzahl|nombre|(?:^|_)num_|weight|gewicht|lat|lon"
)

PEOPLE_NAMES: Final = "names of people"
NATIONAL: Final = "national numbers, passports or licences"

# What columns hold, and how they are called then.
KINDS: Final[dict[str, tuple[str, ...]]] = {
    PEOPLE_NAMES: (
        r"name", r"sur_?name",
        r"(?:first|last|full|middle|maiden|given|family|birth|patient|customer|client|user|person|doctor|physician|employee|member|contact)_?names?",
        r"fore_?name", r"vor_?name", r"nach_?name", r"zu_?name", r"familien_?name",
        r"geburts_?name", r"rufname",
        r"(?:patient|kund|person|arzt|mitarbeiter|versichert)\w*_?name", r"prenoms?",
        r"nom_(?:de_)?(?:famille|naissance|usage)", r"nom_(?:du_|de_)?(?:patient|client)",
        r"nombres?_(?:y_)?(?:completo|apellidos?|paciente|cliente)", r"apellidos?", r"cognom[ei]",
        r"nome_(?:completo|paziente|cliente)", r"nominativo", r"voor_?naam", r"achter_?naam",
        r"familie_?naam", r"roep_?naam", r"tussenvoegsel",
    ),
    "e-mail addresses": (
        r"e_?mails?", r"mail", r"e_?mail_?(?:address|adresse|adres)", r"courriel",
        r"correo(?:_electronico)?", r"posta_elettronica",
    ),
    "phone numbers": (
        r"(?:tele|mobile_?|cell_?)?phones?(?:_?(?:number|no|nr))?", r"mobile", r"fax",
        r"telefon(?:o|nummer|_?nr)?", r"tel", r"handy(?:nummer|_?nr)?",
        r"mobil(?:nummer|_?nr|telefon)", r"telefoon(?:nummer)?", r"portable", r"movil",
        r"cellulare", r"fax(?:nummer|_?nr)",
    ),
    "postal addresses": (
        r"address(?:es)?(?:_line)?(?:_?\d)?", r"street", r"house_?(?:no|nr|number)", r"adresse",
        r"anschrift", r"strasse", r"strassen_?name", r"haus_?(?:nummer|nr)", r"rue", r"calle",
        r"direccion", r"domicilio", r"indirizzo", r"straat", r"straatnaam", r"huis_?nummer",
        r"adres",
    ),
    NATIONAL: (
        r"ssn", r"social_security(?:_(?:number|no|nr))?", r"passports?(?:_(?:number|no|nr))?",
        r"(?:sozial)?versicherungs_?(?:nummer|nr)", r"versicherten_?(?:nummer|nr)", r"svnr",
        r"steuer_?(?:id|nummer|nr|identifikationsnummer)", r"(?:reise)?pass_?(?:nummer|nr)",
        r"ausweis_?(?:nummer|nr)?", r"bsn", r"burgerservicenummer", r"dni", r"codice_fiscale",
        r"nir", r"numero_(?:de_)?securite_sociale", r"num_secu", r"nhs(?:_(?:number|no))",
        r"personnummer", r"fodselsnummer", r"hetu", r"cpr(?:_?(?:nr|nummer))", r"pesel",
        r"ahv(?:_?(?:nr|nummer))?", r"rijksregisternummer", r"niss", r"insz",
        r"national_(?:id|number)", r"id_?card(?:_?no|_?number)?", r"paspoort(?:nummer)?",
        r"passeport", r"pasaporte", r"passaporto", r"driv(?:er|ing)s?_licen[cs]e",
        r"fuhrerschein(?:_?(?:nr|nummer))?", r"licen[cs]e_plate", r"kennzeichen", r"vin",
    ),
    "bank accounts or cards": (
        r"iban", r"account_?(?:number|no|nr|id)", r"konto_?(?:nummer|nr)",
        r"(?:credit_)?card_?(?:number|no)", r"kreditkarten?_?(?:nummer|nr)",
        r"rekening_?(?:nummer|nr)", r"numero_(?:de_)?(?:compte|cuenta)",
    ),
    "addresses in networks": (
        r"urls?", r"website", r"homepage", r"ip", r"ip_?addr(?:ess)?", r"mac_addr(?:ess)?",
        r"imei", r"user_?name", r"login", r"log_?in_?name", r"benutzer_?name", r"nick_?name",
        r"twitter", r"instagram",
    ),
}  # fmt: skip
_KINDS: Final = tuple(
    (kind, re.compile(rf"(?:^|_)(?:{'|'.join(forms)})(?:_|$)")) for kind, forms in KINDS.items()
)
_ONLY_NAMES = frozenset({"nom", "nome", "nombre", "naam"})  # in other names they mean other things
_IS_ROW_NUMBER = re.compile(r"(?:^|_)(?:id|uid|uuid|guid|identifier|record_(?:no|number))(?:_|$)")

_NOUNS: Final = (
    (r"patient|pacient|pazient|^pid$|mrn", "patients"),
    (r"customer|client|kund|klant", "customers"),
    (r"employ|worker|mitarbeiter|beschaftig|emplead|dipendent|medewerker", "employees"),
    (r"student|pupil|schuler|eleve|etudiant|alumn|leerling", "students"),
    (r"member|mitglied|miembro|socio|adherent", "members"),
    (r"subject|participant|proband|teilnehm|respondent|deelnem", "participants"),
    (r"user|nutzer|utilisateur|usuario|utent", "users"),
)


def kind_by_name(words: str) -> str:
    """Return what a column holds by its name, if that names a person; else an empty text.

    Examples
    --------
    >>> kind_by_name("nachname"), kind_by_name("hospital_name"), kind_by_name("e_mail")
    ('names of people', '', 'e-mail addresses')
    """
    if words in _ONLY_NAMES:
        return PEOPLE_NAMES
    kind = next((kind for kind, form in _KINDS if form.search(words)), "")
    return "" if kind == PEOPLE_NAMES and _IS_THING.search(words) else kind


def names_people(words: str) -> bool:
    """Say whether a column is called like numbers of people, or of rows.

    Examples
    --------
    >>> [names_people(words) for words in ("patient_no", "id", "kundennummer", "ward_id")]
    [True, True, True, False]
    """
    if _IS_PERSON_NUMBER.search(words):
        return True
    return _IS_ROW_NUMBER.search(words) is not None and _IS_THING.search(words) is None


def name_of_number(words: str) -> str:
    """Return what a column numbers by its name: person, event, row, number, thing, or nothing.

    Examples
    --------
    >>> [name_of_number(words) for words in ("patient_id", "case_id", "id", "nr", "zip", "sex")]
    ['person', 'event', 'row', 'number', 'thing', '']
    >>> name_of_number("patient"), name_of_number("patients")
    ('number', '')
    """
    if _IS_PERSON_NUMBER.search(words):
        return "person"
    if _IS_THING.search(words) or _IS_PLACE_OR_TIME.search(words):
        return "thing"
    if _IS_EVENT_NUMBER.search(words):
        return "event"
    if _IS_ROW_NUMBER.search(words):
        return "row"
    return "number" if _IS_NUMBER.search(words) or _IS_PERSON.fullmatch(words) else ""


def noun_of(words: str) -> str:
    """Return what the people are called that a column numbers.

    Examples
    --------
    >>> noun_of("patient_id"), noun_of("kundennummer"), noun_of("pseudonym")
    ('patients', 'customers', 'people')
    """
    return next((noun for form, noun in _NOUNS if re.search(form, words)), "people")


def words_of(column: str) -> str:
    """Return a column name in small letters, without accents, words joined by underscores.

    Examples
    --------
    >>> words_of("PatientID"), words_of("e-mail address"), words_of("Prénom"), words_of("Straße")
    ('patient_id', 'e_mail_address', 'prenom', 'strasse')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column)
    plain = unicodedata.normalize("NFKD", spaced.casefold())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.sub(r"[\W_]+", "_", plain).strip("_")
