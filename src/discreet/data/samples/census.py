"""The invented land behind `census_sample`: what people there are like, as integer weights.

A table gives the weights of a column's values, one row for each combination of the columns it
depends on. Integers keep the sample the same on every machine.
"""

from __future__ import annotations

SEX = ("female", "male")
SEX_WEIGHTS = [51, 49]

AGES = tuple(range(16, 100))
BAND_STARTS = (16, 20, 30, 40, 50, 60, 70, 80)  # the bands other columns depend on
# People per year of age, by band; men die earlier.
AGE_WEIGHTS = {
    "female": (110, 130, 140, 135, 140, 118, 92, 30),
    "male": (116, 134, 142, 136, 138, 110, 72, 16),
}

REGIONS = (
    "Capital", "Northmark", "Eastvale", "Westshore", "Southport", "Highlands", "Lakeland", "Isles",
)  # fmt: skip
REGION_WEIGHTS = [320, 210, 140, 130, 90, 60, 40, 10]
# Towns of each region: areas, and districts of each area; later ones are smaller.
REGION_AREAS = (6, 5, 4, 4, 4, 3, 3, 2)
AREA_DISTRICTS = (5, 4, 4, 3, 3, 2)

EDUCATION = (
    "none", "primary", "lower secondary", "upper secondary", "vocational", "bachelor",
    "master or doctorate",
)  # fmt: skip
EDUCATION_GROUPS = {
    "basic": ("none", "primary", "lower secondary"),
    "middle": ("upper secondary", "vocational"),
    "higher": ("bachelor", "master or doctorate"),
}
# By band, female then male.
EDUCATION_WEIGHTS = [
    [20, 90, 560, 320, 10, 0, 0], [25, 100, 575, 290, 10, 0, 0],
    [8, 20, 90, 330, 180, 290, 82], [10, 25, 120, 330, 250, 210, 55],
    [8, 22, 90, 260, 210, 270, 140], [10, 25, 110, 260, 290, 200, 105],
    [10, 30, 120, 290, 240, 210, 100], [12, 32, 120, 260, 310, 175, 91],
    [12, 45, 180, 310, 245, 145, 63], [14, 45, 150, 270, 330, 125, 66],
    [18, 90, 260, 300, 210, 90, 32], [18, 80, 190, 270, 320, 80, 42],
    [30, 190, 350, 240, 140, 40, 10], [26, 150, 260, 240, 250, 50, 24],
    [55, 330, 370, 160, 70, 12, 3], [45, 270, 300, 190, 155, 28, 12],
]  # fmt: skip

MARITAL = ("single", "married", "partnership", "separated", "divorced", "widowed")
MARITAL_GROUPS = {
    "never married": ("single",),
    "with partner": ("married", "partnership"),
    "formerly married": ("separated", "divorced", "widowed"),
}
# By band, female then male.
MARITAL_WEIGHTS = [
    [985, 8, 6, 1, 0, 0], [995, 2, 3, 0, 0, 0],
    [700, 190, 95, 8, 6, 1], [800, 120, 72, 5, 3, 0],
    [330, 500, 95, 30, 42, 3], [410, 460, 85, 20, 24, 1],
    [190, 590, 60, 40, 110, 10], [230, 600, 60, 30, 77, 3],
    [110, 620, 40, 35, 160, 35], [140, 660, 40, 28, 122, 10],
    [70, 610, 20, 20, 160, 120], [90, 720, 22, 18, 120, 30],
    [55, 480, 8, 10, 100, 347], [60, 760, 12, 10, 78, 80],
    [60, 220, 3, 5, 52, 660], [45, 640, 6, 6, 43, 260],
]  # fmt: skip

HOUSEHOLD = (1, 2, 3, 4, 5, 6, 7, 8)
HOUSEHOLD_TREE = {"small": [1, 2], "medium": [3, 4], "large": [5, 6, 7, 8]}
# By marital status, under 60 then 60 and over.
HOUSEHOLD_WEIGHTS = [
    [330, 220, 200, 160, 60, 20, 7, 3], [720, 200, 50, 20, 7, 2, 1, 0],
    [0, 280, 260, 310, 105, 30, 10, 5], [0, 830, 110, 40, 13, 4, 2, 1],
    [0, 560, 230, 160, 38, 8, 3, 1], [0, 900, 70, 22, 6, 1, 1, 0],
    [400, 270, 190, 100, 28, 8, 3, 1], [690, 220, 60, 22, 6, 1, 1, 0],
    [450, 270, 170, 80, 22, 5, 2, 1], [730, 200, 48, 16, 4, 1, 1, 0],
    [420, 280, 170, 90, 28, 8, 3, 1], [790, 140, 45, 17, 6, 1, 1, 0],
]  # fmt: skip

BIRTH_GROUPS = {
    "Europe": ("Poland", "Romania", "Italy", "Portugal", "Ireland", "Greece", "Ukraine"),
    "Asia": ("India", "China", "Viet Nam", "Philippines", "Syria", "Japan"),
    "Africa": ("Nigeria", "Morocco", "Kenya", "Ghana", "Eritrea"),
    "Americas": ("Brazil", "Colombia", "Mexico", "Canada", "Chile"),
    "Oceania": ("Australia", "Fiji"),
}
BIRTH = ("here", *(country for group in BIRTH_GROUPS.values() for country in group))
BIRTH_WEIGHTS_ABROAD = (
    90, 70, 40, 45, 25, 12, 38, 75, 48, 22, 26, 34, 6, 30, 36, 9, 14, 17, 28, 11, 8, 7, 3, 5, 1,
)  # fmt: skip
BIRTH_HERE_BY_REGION = (2300, 6200, 7800, 5200, 4700, 16000, 11000, 21000)

INDUSTRY = (
    "none", "agriculture", "manufacturing", "construction", "retail", "transport", "hospitality",
    "information", "finance", "public administration", "education", "health", "arts",
)  # fmt: skip
INDUSTRY_GROUPS = {
    "none": ("none",),
    "production": ("agriculture", "manufacturing", "construction"),
    "market services": ("retail", "transport", "hospitality", "information", "finance"),
    "public services": ("public administration", "education", "health", "arts"),
}
NOT_WORKING_BY_BAND = (62, 24, 17, 15, 19, 52, 94, 98)  # per cent
# By sex and by kind of region: city (the Capital), mixed, rural (the last three).
INDUSTRY_WEIGHTS = [
    [2, 40, 12, 150, 30, 75, 75, 85, 110, 150, 240, 31],
    [15, 75, 12, 165, 28, 72, 35, 45, 95, 155, 275, 28],
    [80, 60, 12, 155, 24, 120, 14, 20, 90, 140, 265, 20],
    [4, 85, 110, 120, 115, 65, 150, 105, 95, 60, 65, 26],
    [30, 190, 150, 125, 110, 48, 70, 45, 82, 60, 68, 22],
    [170, 130, 180, 105, 105, 75, 25, 18, 72, 50, 58, 12],
]

OCCUPATION = (
    "none", "manager", "professional", "technician", "clerk", "service worker", "farm worker",
    "craft worker", "machine operator", "labourer", "soldier",
)  # fmt: skip
OCCUPATION_GROUPS = {
    "none": ("none",),
    "leading": ("manager", "professional", "technician"),
    "office and service": ("clerk", "service worker"),
    "manual": ("farm worker", "craft worker", "machine operator", "labourer"),
    "forces": ("soldier",),
}
# By level of education (basic, middle, higher), before what the industry makes of it.
OCCUPATION_BY_LEVEL = [
    (10, 4, 25, 60, 190, 60, 140, 130, 220, 2),
    (45, 40, 160, 170, 190, 40, 150, 90, 70, 6),
    (160, 480, 160, 80, 40, 6, 12, 8, 10, 4),
]
# How often each occupation is met in each industry but "none", per cent of its usual share.
OCCUPATION_BY_INDUSTRY = [
    (80, 10, 30, 20, 5, 2500, 40, 80, 300, 0),
    (100, 60, 120, 80, 5, 5, 260, 450, 150, 0),
    (80, 30, 70, 40, 2, 10, 700, 100, 250, 0),
    (110, 20, 50, 110, 320, 5, 40, 20, 90, 0),
    (70, 20, 80, 160, 50, 5, 40, 700, 150, 0),
    (130, 10, 30, 60, 420, 20, 20, 10, 200, 0),
    (120, 260, 220, 60, 8, 0, 20, 3, 5, 0),
    (150, 150, 240, 320, 15, 0, 2, 2, 5, 0),
    (110, 130, 120, 280, 90, 5, 20, 10, 40, 900),
    (50, 330, 60, 60, 100, 2, 5, 3, 40, 0),
    (40, 160, 230, 60, 200, 2, 5, 5, 50, 0),
    (80, 260, 150, 60, 90, 10, 70, 5, 40, 0),
]

INCOME = (
    "under 10 000", "10 000 to 20 000", "20 000 to 30 000", "30 000 to 45 000",
    "45 000 to 70 000", "70 000 and over",
)  # fmt: skip
INCOME_GROUPS = {"low": INCOME[:2], "middle": INCOME[2:4], "high": INCOME[4:]}
# By occupation, and by age: under 30, 30 to 59, 60 and over.
INCOME_WEIGHTS = [
    [850, 120, 25, 4, 1, 0], [480, 330, 140, 40, 8, 2], [130, 430, 300, 110, 25, 5],
    [15, 60, 160, 330, 290, 145], [8, 25, 80, 230, 340, 317], [20, 40, 90, 220, 320, 310],
    [30, 110, 260, 380, 180, 40], [12, 45, 130, 340, 330, 143], [25, 60, 140, 320, 310, 145],
    [50, 170, 360, 330, 80, 10], [20, 90, 270, 420, 170, 30], [40, 110, 270, 390, 160, 30],
    [80, 290, 400, 200, 27, 3], [40, 200, 410, 280, 62, 8], [70, 220, 390, 250, 60, 10],
    [190, 420, 310, 73, 6, 1], [110, 370, 380, 120, 18, 2], [170, 380, 330, 100, 18, 2],
    [220, 400, 290, 80, 9, 1], [150, 350, 330, 140, 26, 4], [230, 350, 280, 110, 26, 4],
    [80, 280, 420, 200, 19, 1], [30, 160, 400, 340, 64, 6], [60, 190, 390, 290, 62, 8],
    [90, 310, 410, 175, 14, 1], [40, 210, 430, 270, 46, 4], [70, 240, 410, 230, 46, 4],
    [260, 460, 230, 46, 4, 0], [160, 430, 310, 90, 9, 1], [220, 420, 270, 80, 9, 1],
    [20, 200, 500, 260, 19, 1], [5, 60, 300, 450, 165, 20], [10, 70, 280, 430, 180, 30],
]  # fmt: skip

CONDITION = (
    "none", "hypertension", "asthma", "arthritis", "diabetes", "depression", "heart disease",
    "cancer", "epilepsy", "hepatitis", "HIV",
)  # fmt: skip
CONDITION_GROUPS = {
    "none": ("none",),
    "circulation": ("hypertension", "heart disease"),
    "infection": ("hepatitis", "HIV"),
    "long-term": ("asthma", "arthritis", "diabetes", "cancer"),
    "nervous system": ("depression", "epilepsy"),
}
# By band, female then male.
CONDITION_WEIGHTS = [
    [8350, 20, 850, 20, 40, 620, 10, 15, 65, 5, 5],
    [8720, 30, 800, 10, 40, 310, 10, 15, 55, 5, 5],
    [8150, 110, 760, 60, 70, 720, 20, 40, 45, 15, 10],
    [8610, 190, 640, 40, 70, 330, 20, 30, 40, 15, 15],
    [7780, 350, 700, 190, 170, 640, 40, 80, 30, 12, 8],
    [8060, 560, 560, 130, 190, 370, 60, 30, 22, 10, 8],
    [6850, 950, 640, 480, 320, 560, 70, 90, 25, 10, 5],
    [6950, 1260, 520, 300, 410, 360, 130, 40, 18, 7, 5],
    [5150, 1830, 590, 1050, 560, 490, 150, 150, 18, 8, 4],
    [5340, 2080, 460, 620, 760, 310, 300, 110, 12, 5, 3],
    [3650, 2560, 520, 1640, 860, 330, 260, 160, 12, 5, 3],
    [3780, 2690, 420, 930, 1120, 200, 560, 280, 12, 5, 3],
    [2500, 2930, 480, 2150, 990, 260, 480, 190, 14, 4, 2],
    [2580, 2940, 400, 1250, 1190, 160, 980, 480, 14, 4, 2],
    [1850, 3030, 420, 2520, 940, 260, 770, 195, 12, 2, 1],
    [1890, 3010, 370, 1540, 1080, 170, 1330, 595, 12, 2, 1],
]
