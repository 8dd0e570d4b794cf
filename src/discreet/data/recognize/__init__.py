"""Direct identifiers and free text, recognized by the values of a column alone."""

from discreet.data.recognize.values import FREE_TEXT as FREE_TEXT
from discreet.data.recognize.values import PERSONAL_NUMBERS as PERSONAL_NUMBERS
from discreet.data.recognize.values import Recognized as Recognized
from discreet.data.recognize.values import looks_like_numbers as looks_like_numbers
from discreet.data.recognize.values import recognize as recognize
