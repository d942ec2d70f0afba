import gleaner

ONE = (
    "On Monday the council agreed, after long talks, on a bridge across the river. Work begins in spring, the mayor "
    "said, and will take two years, perhaps three, to finish. Nobody knows what it will cost."
)
COPY = ONE.replace("Monday", "Tuesday")
OTHER = "Three lambs were found in the church this morning, warm, dry and without any harm at all, said the priest."


def test_each_text_has_its_representative():
    assert gleaner.near_duplicates([ONE, OTHER, COPY, "Rain.", ONE + "  ", "Rain."]) == [0, 1, 0, 3, 0, 3]
    assert gleaner.near_duplicates(iter([])) == []


def test_a_signature_is_enough_for_an_estimate():
    one, copy, other = map(gleaner.signature, [ONE, COPY, OTHER])
    assert len(one) == 256 and gleaner.signature("too few words") is None
    assert gleaner.similarity(one, one) == 1
    assert gleaner.similarity(one, copy) > 0.7 > 0.2 > gleaner.similarity(one, other)


def test_bands_find_candidates():
    one, copy, other = (set(gleaner.bands(gleaner.signature(text))) for text in [ONE, COPY, OTHER])
    assert len(one) == 42 and one & copy and not one & other
    assert all(-(2**63) <= key < 2**63 for key in one)
    assert min(one | copy | other) < 0


def test_a_verdict_of_texts():
    assert gleaner.verdict(ONE, COPY) == "duplicate"
    assert gleaner.verdict(ONE, OTHER) == "other"
    weather = "{} mm of rain fell in the north, {} in the south, {} in the east and {} in the west of the country on day {}."
    assert gleaner.verdict(weather.format(1, 2, 3, 4, 5), weather.format(6, 7, 8, 9, 10)) == "related"


def test_the_minimum_similarity_can_be_chosen():
    edited = " ".join("edited" if at % 5 == 0 else word for at, word in enumerate(ONE.split()))
    assert gleaner.verdict(ONE, edited, similarity=0.9) != "duplicate" == gleaner.verdict(ONE, ONE, similarity=1)
    assert gleaner.near_duplicates([ONE, COPY], similarity=0.99) == [0, 1]


def test_a_signature_can_be_a_bytearray():
    signature = gleaner.signature(ONE)
    assert gleaner.bands(bytearray(signature)) == gleaner.bands(signature)
    assert gleaner.similarity(signature, bytearray(signature)) == 1
