"""The invented shop behind `basket_sample`: its products, most popular first, and its meals."""

from __future__ import annotations

PRODUCTS = (
    "milk", "bread", "bananas", "eggs", "butter", "apples", "tomatoes", "onions", "cheese",
    "chicken", "potatoes", "coffee", "yogurt", "pasta", "rice", "carrots", "orange juice",
    "minced beef", "lettuce", "cucumber", "toilet paper", "sugar", "ham", "peppers", "crisps",
    "chocolate", "beer", "water", "tomato sauce", "olive oil", "garlic", "lemons", "mushrooms",
    "cream", "frozen pizza", "tea", "cereal", "red wine", "salmon", "bacon", "sausages", "flour",
    "biscuits", "ice cream", "strawberries", "grapes", "oranges", "avocado", "broccoli",
    "spinach", "sweetcorn", "beans", "tinned tomatoes", "tuna", "honey", "jam", "mayonnaise",
    "ketchup", "mustard", "kitchen roll", "washing powder", "dish soap", "shampoo", "toothpaste",
    "soap", "nappies", "baby food", "baby wipes", "cat food", "dog food", "parmesan",
    "mozzarella", "feta", "basil", "ginger", "soy sauce", "noodles", "coconut milk",
    "curry paste", "tortillas", "salsa", "lime", "coriander", "kidney beans", "chilli",
    "white wine", "sparkling wine", "whisky", "gin", "tonic water", "cola", "lemonade", "peanuts",
    "olives", "hummus", "pitta bread", "bagels", "croissants", "pancake mix", "maple syrup",
    "oats", "almonds", "raisins", "oat milk", "tofu", "lentils", "chickpeas", "quinoa", "kale",
    "beetroot", "leeks", "celery", "prawns", "duck", "lamb", "light bulbs", "batteries",
    "candles", "greeting card", "birthday cake",
)  # fmt: skip

# Share of baskets with each meal, and what belongs to it.
MEALS = (
    (0.080, ("pasta", "tomato sauce", "minced beef", "parmesan")),
    (0.070, ("bread", "butter", "ham", "cheese")),
    (0.060, ("lettuce", "tomatoes", "cucumber", "olive oil")),
    (0.045, ("beer", "crisps", "peanuts")),
    (0.040, ("tortillas", "minced beef", "salsa", "avocado", "lime")),
    (0.035, ("nappies", "baby wipes", "baby food")),
    (0.030, ("eggs", "bacon", "sausages", "mushrooms", "bread")),
    (0.025, ("rice", "coconut milk", "curry paste", "chicken", "coriander")),
    (0.020, ("flour", "sugar", "eggs", "butter", "chocolate")),
    (0.018, ("gin", "tonic water", "lemons")),
    (0.015, ("mozzarella", "tomatoes", "basil", "olive oil")),
    (0.012, ("pancake mix", "maple syrup", "strawberries")),
    (0.010, ("noodles", "soy sauce", "ginger", "tofu", "peppers")),
    (0.006, ("hummus", "pitta bread", "olives", "feta")),
    (0.003, ("birthday cake", "candles", "greeting card", "sparkling wine")),
)
KEPT = 0.85  # share of a meal's products that are bought, the others being at home

SIZE_WEIGHTS = (14, 90, 130, 150, 140, 120, 95, 75, 55, 40, 28, 20, 14, 10, 7, 5, 3, 2, 1, 1)
