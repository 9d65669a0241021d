//! What a figure may be counted in: units by their words, with what they measure and the factor to its base.

/// What a unit measures; figures of different dimensions are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// In seconds.
    Time,
    /// In bytes.
    Size,
    /// In hundredths.
    Percent,
    /// In metres.
    Length,
    /// In square metres.
    Area,
    /// In grams.
    Mass,
    /// Money; the currency is not converted.
    Money,
    /// Degrees Celsius (0) or Fahrenheit (1), not converted, or of a scale that is not named (2).
    Degree(u8),
    /// In hertz.
    Frequency,
    /// In litres.
    Volume,
    /// In amperes.
    Current,
    /// In volts.
    Voltage,
    /// In watts.
    Power,
    /// In volt-amperes.
    Apparent,
    /// In watt hours.
    Energy,
    /// In newton metres.
    Torque,
    /// In pascals.
    Pressure,
    /// In decibels.
    Level,
    /// In ampere hours.
    Charge,
    /// A time of day, in hours.
    Clock,
    /// A day, as year, month and day in one number; only read in [`crate::loose`].
    Date,
    /// How often, in times a second; only read where rates are compared.
    Rate,
}

/// Metres of a foot.
const FOOT: f64 = 0.3048;

/// Whether a folded word makes an area or a volume of the length before it.
pub fn raises(word: &str) -> bool {
    matches!(word, "cuadrado" | "cuadrados" | "cubico" | "cubicos")
}

/// An area or a volume of a length: "square metres", "metros cúbicos".
pub(crate) fn power(word: &str, length: f64) -> Option<(Dimension, f64)> {
    match word {
        "square" | "sq" | "cuadrado" | "cuadrados" => Some((Dimension::Area, length * length)),
        "cubic" | "cu" | "cubico" | "cubicos" => Some((Dimension::Volume, 1e3 * length * length * length)),
        _ => None,
    }
}

/// Dimension and factor of a unit whose case tells it from a word.
pub(crate) fn cased_unit(text: &str) -> Option<(Dimension, f64)> {
    use Dimension::{
        Apparent, Area, Charge, Current, Energy, Level, Power, Pressure, Size, Torque, Voltage, Volume,
    };
    Some(match text {
        "A" | "amps" | "amperes" | "amperios" => (Current, 1.0),
        "mA" | "milliamps" => (Current, 1e-3),
        "µA" | "μA" => (Current, 1e-6),
        "V" | "volts" | "voltios" => (Voltage, 1.0),
        "mV" => (Voltage, 1e-3),
        "kV" => (Voltage, 1e3),
        "W" | "watts" | "vatios" => (Power, 1.0),
        "mW" => (Power, 1e-3),
        "kW" => (Power, 1e3),
        "MW" => (Power, 1e6),
        "VA" => (Apparent, 1.0),
        "kVA" => (Apparent, 1e3),
        "MVA" => (Apparent, 1e6),
        "Wh" => (Energy, 1.0),
        "kWh" => (Energy, 1e3),
        "MWh" => (Energy, 1e6),
        "GWh" => (Energy, 1e9),
        "Nm" => (Torque, 1.0),
        "Pa" => (Pressure, 1.0),
        "hPa" | "mbar" => (Pressure, 100.0),
        "kPa" => (Pressure, 1e3),
        "MPa" => (Pressure, 1e6),
        "bar" => (Pressure, 1e5),
        "psi" => (Pressure, 6_894.76),
        "mmHg" => (Pressure, 133.322),
        "dB" | "dBA" | "dBm" => (Level, 1.0),
        "Ki" => (Size, 1024.0),
        "Mi" => (Size, 1_048_576.0),
        "Gi" => (Size, 1_073_741_824.0),
        "Ti" => (Size, 1_099_511_627_776.0),
        // "M3" is a screw.
        "m²" | "m2" | "sqm" => (Area, 1.0),
        "mm²" | "mm2" => (Area, 1e-6),
        "cm²" | "cm2" => (Area, 1e-4),
        "km²" | "km2" => (Area, 1e6),
        "ft²" | "ft2" | "sqft" => (Area, FOOT * FOOT),
        "m³" | "m3" => (Volume, 1e3),
        "mm³" | "mm3" => (Volume, 1e-6),
        "cm³" | "cm3" => (Volume, 1e-3),
        "dm³" | "dm3" => (Volume, 1.0),
        "km³" | "km3" => (Volume, 1e12),
        "ft³" | "ft3" => (Volume, 1e3 * FOOT * FOOT * FOOT),
        "Ah" => (Charge, 1.0),
        "mAh" => (Charge, 1e-3),
        _ => return None,
    })
}

/// Dimension and factor of a folded unit word.
pub(crate) fn unit(word: &str) -> Option<(Dimension, f64)> {
    use Dimension::{Degree, Frequency, Length, Mass, Money, Percent, Size, Time, Volume};
    Some(match word {
        "ns" | "nanosecond" | "nanoseconds" => (Time, 1e-9),
        "µs" | "μs" | "us" | "microsecond" | "microseconds" => (Time, 1e-6),
        "ms" | "millisecond" | "milliseconds" | "milisegundo" | "milisegundos" => (Time, 1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" | "segundo" | "segundos" => (Time, 1.0),
        "min" | "mins" | "minute" | "minutes" | "minuto" | "minutos" => (Time, 60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" | "hora" | "horas" => (Time, 3600.0),
        "day" | "days" | "dia" | "dias" => (Time, 86_400.0),
        "week" | "weeks" | "semana" | "semanas" => (Time, 604_800.0),
        "month" | "months" | "mes" | "meses" => (Time, 2_629_800.0),
        "year" | "years" | "yr" | "yrs" | "ano" | "anos" => (Time, 31_557_600.0),
        "b" | "byte" | "bytes" => (Size, 1.0),
        "kb" | "kilobyte" | "kilobytes" => (Size, 1e3),
        "mb" | "megabyte" | "megabytes" => (Size, 1e6),
        "gb" | "gigabyte" | "gigabytes" => (Size, 1e9),
        "tb" | "terabyte" | "terabytes" => (Size, 1e12),
        "kib" => (Size, 1024.0),
        "mib" => (Size, 1_048_576.0),
        "gib" => (Size, 1_073_741_824.0),
        "bit" | "bits" => (Size, 0.125),
        "kbit" | "kbits" | "kbps" => (Size, 125.0),
        "mbit" | "mbits" | "mbps" => (Size, 125_000.0),
        "gbit" | "gbits" | "gbps" => (Size, 125_000_000.0),
        "mega" | "megas" => (Size, 1e6),
        "giga" | "gigas" => (Size, 1e9),
        "tib" => (Size, 1_099_511_627_776.0),
        "fortnight" | "fortnights" | "quincena" | "quincenas" => (Time, 1_209_600.0),
        "%" | "percent" | "pct" => (Percent, 1.0),
        "nm" => (Length, 1e-9),
        "µm" | "μm" | "micrometer" | "micrometers" | "micrometre" | "micrometres" => (Length, 1e-6),
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" | "milimetro" | "milimetros" => {
            (Length, 1e-3)
        }
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" | "centimetro" | "centimetros" => {
            (Length, 1e-2)
        }
        "meter" | "meters" | "metre" | "metres" | "metro" | "metros" => (Length, 1.0),
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" | "kilometro" | "kilometros" => {
            (Length, 1e3)
        }
        "inch" | "inches" | "pulgada" | "pulgadas" => (Length, 0.0254),
        "foot" | "feet" | "ft" => (Length, FOOT),
        "mile" | "miles" => (Length, 1609.344),
        "µg" | "μg" | "mcg" | "microgram" | "micrograms" | "microgramo" | "microgramos" => (Mass, 1e-6),
        "mg" | "milligram" | "milligrams" | "miligramo" | "miligramos" => (Mass, 1e-3),
        "g" | "gram" | "grams" | "gramo" | "gramos" => (Mass, 1.0),
        "kg" | "kilogram" | "kilograms" | "kilo" | "kilos" | "kilogramo" | "kilogramos" => (Mass, 1e3),
        "tonne" | "tonnes" | "tonelada" | "toneladas" => (Mass, 1e6),
        "lb" | "lbs" | "pound" | "pounds" => (Mass, 453.592),
        "oz" | "ounce" | "ounces" => (Mass, 28.3495),
        "dollar" | "dollars" | "usd" | "euro" | "euros" | "eur" | "€" => (Money, 1.0),
        "degree" | "degrees" | "grado" | "grados" => (Degree(2), 1.0),
        "°c" | "celsius" => (Degree(0), 1.0),
        "°f" | "fahrenheit" => (Degree(1), 1.0),
        "cent" | "cents" | "centimo" | "centimos" | "penny" | "pence" => (Money, 0.01),
        "ml" | "milliliter" | "milliliters" | "millilitre" | "millilitres" | "mililitros" => (Volume, 1e-3),
        "cl" => (Volume, 1e-2),
        "l" => (Volume, 1.0),
        "liter" | "liters" | "litre" | "litres" | "litro" | "litros" => (Volume, 1.0),
        "gallon" | "gallons" => (Volume, 3.785),
        "pint" | "pints" => (Volume, 0.473),
        "quart" | "quarts" => (Volume, 0.946),
        "decade" | "decades" => (Time, 315_576_000.0),
        "century" | "centuries" | "siglo" | "siglos" => (Time, 3_155_760_000.0),
        "quarter" | "quarters" | "trimestre" | "trimestres" => (Time, 7_889_400.0),
        "rpm" => (Frequency, 1.0 / 60.0),
        "hz" => (Frequency, 1.0),
        "khz" => (Frequency, 1e3),
        "mhz" => (Frequency, 1e6),
        "ghz" => (Frequency, 1e9),
        _ => return None,
    })
}
