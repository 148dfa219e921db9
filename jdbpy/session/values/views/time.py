"""java.time and the older dates, in the form of their toString (ISO 8601)."""

from __future__ import annotations

from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.shown import Scalar, Shown
from jdbpy.session.values.views.registry import view
from jdbpy.wire.ids import TaggedValue

_DAYS_TO_1970 = 719_528
"""Days from 0000-01-01 to 1970-01-01 in the proleptic ISO calendar."""


# -- text of numbers: pure ---------------------------------------------------------------------------------------


def date_text(year: int, month: int, day: int) -> str:
    """``LocalDate.toString``."""
    return f"{year_text(year)}-{month:02d}-{day:02d}"


def year_text(year: int) -> str:
    """Return a year of at least four digits; with a plus sign beyond 9999."""
    if year < 0:
        return f"-{-year:04d}"
    return f"{'+' if year > 9999 else ''}{year:04d}"


def time_text(hour: int, minute: int, second: int, nano: int) -> str:
    """``LocalTime.toString``: seconds only when needed, fractions in groups of three digits."""
    text = f"{hour:02d}:{minute:02d}"
    if second or nano:
        text += f":{second:02d}{fraction_text(nano)}"
    return text


def fraction_text(nano: int) -> str:
    """Return a fraction of a second in 0, 3, 6 or 9 digits."""
    digits = f"{nano:09d}"
    while digits.endswith("000"):
        digits = digits[:-3]
    return f".{digits}" if digits else ""


def instant_text(seconds: int, nano: int) -> str:
    """``Instant.toString``: seconds since 1970 in UTC."""
    days, rest = divmod(seconds, 86_400)
    minutes, second = divmod(rest, 60)
    year, month, day = civil_date(days)
    return f"{date_text(year, month, day)}T{minutes // 60:02d}:{minutes % 60:02d}:{second:02d}{fraction_text(nano)}Z"


def civil_date(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day counted from 1970-01-01; Python's dates end at the year 9999."""
    era, day = divmod(days + _DAYS_TO_1970 - 60, 146_097)  # 400 years, from the first of March of year 0 on
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    shifted = (5 * day + 2) // 153  # months from March
    month = shifted + 3 if shifted < 10 else shifted - 9
    return 400 * era + year + (month <= 2), month, day - (153 * shifted + 2) // 5 + 1


def duration_text(seconds: int, nano: int) -> str:
    """``Duration.toString``: hours, minutes and seconds, each with its own sign."""
    if not seconds and not nano:
        return "PT0S"
    total = seconds * 1_000_000_000 + nano
    whole = abs(total) // 1_000_000_000
    fraction = f"{abs(total) % 1_000_000_000:09d}".rstrip("0")
    sign = "-" if total < 0 else ""
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    text = "PT" + (f"{sign}{hours}H" if hours else "") + (f"{sign}{minutes}M" if minutes else "")
    if rest or fraction:
        text += f"{sign}{rest}{'.' + fraction if fraction else ''}S"
    return text


def period_text(years: int, months: int, days: int) -> str:
    """``Period.toString``."""
    parts = ((years, "Y"), (months, "M"), (days, "D"))
    return "P" + "".join(f"{count}{unit}" for count, unit in parts if count) if any((years, months, days)) else "P0D"


def offset_text(total_seconds: int) -> str:
    """Return the id of a ZoneOffset."""
    if not total_seconds:
        return "Z"
    rest = abs(total_seconds)
    text = f"{'-' if total_seconds < 0 else '+'}{rest // 3600:02d}:{rest // 60 % 60:02d}"
    return text + (f":{rest % 60:02d}" if rest % 60 else "")


# -- views -------------------------------------------------------------------------------------------------------


async def _date(obj: Obj, value: TaggedValue) -> str:
    year, month, day = await obj.object_fields(value, "year", "month", "day")
    return date_text(number(year), number(month), number(day))


async def _time(obj: Obj, value: TaggedValue) -> str:
    parts = await obj.object_fields(value, "hour", "minute", "second", "nano")
    return time_text(*map(number, parts))


async def _date_time(obj: Obj, value: TaggedValue) -> str:
    date, time = await obj.object_fields(value, "date", "time")
    return "T".join(await read_both(_date(obj, date), _time(obj, time)))


async def _offset(obj: Obj, value: TaggedValue) -> str:
    [seconds] = await obj.object_fields(value, "totalSeconds")
    return offset_text(number(seconds))


async def _zone(obj: Obj, value: TaggedValue) -> str:
    """A ZoneOffset and a ZoneRegion both have an id."""
    [name] = await obj.object_fields(value, "id")
    return await obj.text(name) or ""


def _itself(obj: Obj) -> TaggedValue:
    return TaggedValue(ord("L"), obj.id)


@view("java.time.LocalDate")
async def local_date(obj: Obj) -> Shown:
    return Scalar(await _date(obj, _itself(obj)))


@view("java.time.LocalTime")
async def local_time(obj: Obj) -> Shown:
    return Scalar(await _time(obj, _itself(obj)))


@view("java.time.LocalDateTime")
async def local_date_time(obj: Obj) -> Shown:
    return Scalar(await _date_time(obj, _itself(obj)))


@view("java.time.OffsetTime")
async def offset_time(obj: Obj) -> Shown:
    time, offset = await obj.read("time", "offset")
    return Scalar("".join(await read_both(_time(obj, time), _offset(obj, offset))))


@view("java.time.OffsetDateTime")
async def offset_date_time(obj: Obj) -> Shown:
    local, offset = await obj.read("dateTime", "offset")
    return Scalar("".join(await read_both(_date_time(obj, local), _offset(obj, offset))))


@view("java.time.ZonedDateTime")
async def zoned_date_time(obj: Obj) -> Shown:
    """The zone is named when it is more than the offset."""
    local, offset, zone = await obj.read("dateTime", "offset", "zone")
    texts = await gather([_date_time(obj, local), _offset(obj, offset), _zone(obj, zone)])
    return Scalar(texts[0] + texts[1] + (f"[{texts[2]}]" if zone.value != offset.value else ""))


@view("java.time.Instant")
async def instant(obj: Obj) -> Shown:
    return Scalar(instant_text(*map(number, await obj.read("seconds", "nanos"))))


@view("java.time.Duration")
async def duration(obj: Obj) -> Shown:
    return Scalar(duration_text(*map(number, await obj.read("seconds", "nanos"))))


@view("java.time.Period")
async def period(obj: Obj) -> Shown:
    return Scalar(period_text(*map(number, await obj.read("years", "months", "days"))))


@view("java.time.ZoneOffset", "java.time.ZoneRegion")
async def zone_id(obj: Obj) -> Shown:
    return Scalar(await _zone(obj, _itself(obj)))


@view("java.time.Year")
async def year(obj: Obj) -> Shown:
    return Scalar(str(number(await obj.get("year"))))


@view("java.time.YearMonth")
async def year_month(obj: Obj) -> Shown:
    of_year, month = map(number, await obj.read("year", "month"))
    return Scalar(f"{year_text(of_year)}-{month:02d}")


@view("java.time.MonthDay")
async def month_day(obj: Obj) -> Shown:
    month, day = map(number, await obj.read("month", "day"))
    return Scalar(f"--{month:02d}-{day:02d}")


@view("java.util.Date")
async def date(obj: Obj) -> Shown:
    """Show it as an instant: the zone in which its toString would show it is not the date's own."""
    return Scalar(_millis_text(number(await obj.get("fastTime"))))


@view("java.sql.Timestamp")
async def timestamp(obj: Obj) -> Shown:
    time, nanos = map(number, await obj.read("fastTime", "nanos"))
    return Scalar(instant_text(time // 1000, nanos))


@view("java.util.Calendar")
async def calendar(obj: Obj) -> Shown:
    return Scalar(_millis_text(number(await obj.get("time"))), fields=True)


def _millis_text(millis: int) -> str:
    return instant_text(millis // 1000, millis % 1000 * 1_000_000)


@view("java.util.TimeZone")
async def time_zone(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("ID")) or "")
