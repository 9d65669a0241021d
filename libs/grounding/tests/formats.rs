//! Figures as pages write them and as people say them: ranges, parts of one, degrees, rates, times of day, dates, short
//! units, versions. Each text with claims that say the same in another form, and with claims that say another figure.
#![allow(clippy::unwrap_used)]

use assay_domain::evidence::{Source, SourceKind};
use assay_domain::report::ClaimStatus;
use assay_grounding::SourceIndex;
use assay_grounding::support::Support;

/// A text, claims that it supports, and claims that it does not.
type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

const ROWS: &[Row] = &[
    (
        "1 PREHEAT oven to 250F. Roast for 40 to 45 minutes until the centre reaches 145F.",
        &[
            "Preheat the oven to 250°F.",
            "Preheat the oven to 250 °F and roast for 40-45 minutes.",
            "Roast it for 40-45 minutes.",
        ],
        &["Preheat the oven to 350°F.", "Roast it for 40-55 minutes."],
    ),
    (
        "In general, you'll want to cut out about 500 - 750 calories daily to lose about 1-2 pounds weekly.",
        &["Cut out 500-750 calories daily to lose about 1-2 pounds weekly."],
        &["Cut out 500-850 calories daily to lose about 1-2 pounds weekly."],
    ),
    (
        "Ingredients: 1½ cups heavy cream, 4½ teaspoons granulated sugar and 1 teaspoon vanilla extract. You must be at least 59½ to withdraw.",
        &[
            "You need 4 1/2 teaspoons granulated sugar.",
            "You need 1 1/2 cups of heavy cream.",
            "You must be at least 59 1/2 to withdraw.",
            "You must be at least 59 ½ to withdraw.",
        ],
        &["You need 3 1/2 teaspoons granulated sugar.", "You must be at least 69 1/2 to withdraw."],
    ),
    (
        "The soil should be acidic (pH 6.2 to 6.5) and sandy. Sow the seeds 1⁄4 inch deep.",
        &["The soil should be sandy with a pH of 6.2-6.5.", "Sow the seeds 1/4 inch deep."],
        &["The soil should be sandy with a pH of 7.2-7.5.", "Sow the seeds 3/4 inch deep."],
    ),
    (
        "The forecast for Apr 24 is 70 degrees and sunny. The forecast for Apr 25 is 68 degrees and cloudy.",
        &["On April 24th it is sunny with 70 degrees.", "Monday, April 24th: 70 degrees."],
        &[],
    ),
    (
        "That number is much lower for Roth IRAs, which limit you to $5,500 a year or $6,500 if you're 50 or older. Your employer may offer a 401k plan.",
        &["You can contribute up to $5,500/year to a Roth IRA, or $6,500/year if you're 50 or older."],
        &[],
    ),
    (
        "The store is staffed 24 hours a day, seven days a week. Fill the pot about one half full.",
        &["The store is staffed 24/7.", "Fill the pot about half full."],
        &["The store is staffed 12 hours a day."],
    ),
    (
        "Use a metal-cutting 12 inch (30.5cm) blade. In January the low is -4°C and the high 9 °C.",
        &[
            "Use a 12-inch (30.5 cm) metal-cutting blade.",
            "The low in January is -4 °C.",
            "In January the temperature is low (-4°C).",
        ],
        &["The low in January is 4 °C."],
    ),
    (
        "During this phase you eat 5 200-calorie meals throughout the day. The 10-digit number works on Windows 7, 8 and 8.1.",
        &[
            "You eat five 200-calorie meals a day in this phase.",
            "You eat 5 small 200-calorie meals a day in this phase.",
            "It works on Windows 7/8/8.1.",
        ],
        &[
            "You eat six 200-calorie meals a day in this phase.",
            "You eat five 300-calorie meals a day in this phase.",
        ],
    ),
    (
        "Lifeguards are on duty from 9:00 am to 6:00 pm. Rent is $50,000 per year, and the rise is 4 percent.",
        &[
            "Lifeguards are on duty from 9 am to 6 pm.",
            "At 9 AM the lifeguards start.",
            "Rent is $50,000/year and rises by 4%.",
        ],
        &["Lifeguards are on duty from 8 am to 6 pm."],
    ),
    (
        "The plan costs 12 €/mes and the file must not exceed 2.5GB; the timeout is 30s and the delay 250ms.",
        &["The timeout is 30 seconds and the delay 250 milliseconds.", "The plan costs 12 euros a month."],
        &["The timeout is 40 seconds.", "The file may have at most 5 GB."],
    ),
    (
        "The cable is 6ft long and 3/4\" thick; the tank holds 20L (5.3 gal). Sizes range from 8x10 to 24×36 inches.",
        &[
            "The cable is 6 feet long and 3/4 inch thick.",
            "The tank holds 20 liters.",
            "The tank holds 5.3 gallons.",
            "Sizes range from 8 x 10 to 24 x 36 inches.",
        ],
        &["The cable is 16 feet long.", "The tank holds 30 liters."],
    ),
    (
        "La oficina abre de 9.00 a 14.30 h. El depósito es de 1.250,50 € y se devuelve en 15 días.",
        &["El depósito es de 1250,50 euros.", "La oficina abre a las nueve."],
        &["La oficina abre de 9 a 15:30.", "El depósito es de 1350,50 euros."],
    ),
    (
        "Doors open at 9am and close at 5:30pm. The night bus leaves at 23h15. Brunch is from 10am-2pm.",
        &[
            "Doors open at 9 a.m.",
            "Doors open at nine in the morning.",
            "They close at 17:30.",
            "The night bus leaves at 23:15.",
            "Brunch runs 10 am to 2 pm.",
        ],
        &["Doors open at 8 a.m.", "They close at 18:30.", "The night bus leaves at 22:15."],
    ),
    (
        "The offer ends on 01/06/2026. Registration opens June 1st, 2026, and the exam is on 3 March 2027 (03.03.2027).",
        &[
            "The exam takes place on March 3, 2027.",
            "Registration opens on 1 June 2026.",
            "Registration opens on the first of June.",
            "The exam is on 2027-03-03.",
        ],
        &["The exam takes place on March 4, 2027.", "Registration opens on 2 June 2026."],
    ),
    (
        "The table holds 1.5M rows, 20k users and 2bn events; the limit is ~500 requests (±5 %) and the ratio >= 0.75.",
        &[
            "It has 20,000 users.",
            "It has 20 000 users.",
            "Two billion events are held.",
            "The limit is about 500 requests.",
            "The ratio is at least 0.75.",
            "The ratio is at least three quarters.",
            "The ratio is at least .75.",
        ],
        &["The table holds 2.5M rows.", "It has 200,000 users.", "The ratio is at least 0.85."],
    ),
    (
        "A ticket costs £5 or €6.50 (50 cents extra on board); groups of 10+ get 20% off, children under 12 go free. Bags up to 23kg/50lb.",
        &[
            "A ticket costs five pounds.",
            "On board you pay half a euro more.",
            "Groups of ten or more get a fifth off.",
            "Groups of at least 10 get 20 percent off.",
            "Under-12s travel for free.",
            "A bag may weigh 23 kilos.",
        ],
        &["A ticket costs six pounds."],
    ),
    (
        "Two-thirds of members voted. One in four abstained. The fund grew threefold to 3.2x its size, from 1990 to the mid-2000s. 3 out of 5 doctors agree.",
        &[
            "2/3 of the members voted.",
            "A quarter of them abstained.",
            "25 % abstained.",
            "The fund tripled.",
            "60 % of doctors agree.",
            "Three in five doctors agree.",
        ],
        &["One in five abstained.", "Four out of five doctors agree."],
    ),
    (
        "Python 3.10 or later is needed, the API is v2.1.0, the port 8080 and the build C++17. HTTP/2 is on, and TLS 1.3 required. Model TX-40 draws 3.5A at 12V.",
        &[
            "You need at least Python 3.10.",
            "The API's version is 2.1.0.",
            "It listens on port 8080.",
            "TLS 1.3 is mandatory.",
            "The TX-40 takes 3.5 amps at 12 volts.",
            "HTTP/2 is enabled.",
        ],
        &[
            "You need at least Python 3.9.",
            "The API's version is 2.0.1.",
            "TLS 1.2 is mandatory.",
            "The TX-40 takes 2.5 amps at 12 volts.",
        ],
    ),
    (
        "El plazo es de 10-15 días hábiles; la cuota, de 1.200 € (IVA 21%); el horario, de 8h a 15h; la temperatura, 36,5ºC; el aforo, 1/3. Hay 2,5 km.",
        &[
            "El plazo es de 10 a 15 días hábiles.",
            "La cuota es de 1200 euros.",
            "El IVA es del 21 %.",
            "El horario es de 8:00 a 15:00.",
            "La temperatura es de 36,5 °C.",
            "El aforo es de un tercio.",
            "Hay dos kilómetros y medio.",
        ],
        &[
            "El plazo es de 10 a 20 días hábiles.",
            "La cuota es de 1300 euros.",
            "La temperatura es de 37,5 °C.",
            "El horario es de 8:00 a 16:00.",
        ],
    ),
    (
        "Mix 1 cup flour, 2 1/2 tsp salt, a 14-oz can and 3-4 lbs of potatoes; bake 35 - 40 min at 180C/350F until 3/4 done. Makes 12-16 servings (5\"-6\" wide).",
        &[
            "You need 2.5 teaspoons of salt.",
            "You need 3 to 4 pounds of potatoes.",
            "Bake for 35 to 40 minutes.",
            "Bake for 35-40 minutes at 180 °C.",
            "Bake it at 350 °F.",
            "It makes 12 to 16 servings.",
            "Take a 14 oz can.",
            "Bake until three quarters done.",
        ],
        &[
            "You need 3.5 teaspoons of salt.",
            "You need 5 to 6 pounds of potatoes.",
            "Bake for 45 to 50 minutes.",
            "Bake it at 400 °F.",
            "It makes 12 to 18 servings.",
        ],
    ),
    (
        "Uptime was 99.95% in Q3 2024, latency p99 250 ms, error budget 0.05%. Retention: 7d (logs), 13 mo. (metrics). Memory 512Mi, CPU 500m. 10^6 keys.",
        &[
            "Uptime was 99.95 percent in the third quarter of 2024.",
            "Logs are kept for 7 days.",
            "Logs are kept for a week.",
            "Metrics are kept for 13 months.",
            "The memory is 512 MiB.",
        ],
        &["Uptime was 99.5 percent in Q3 2024.", "Logs are kept for 17 days.", "The memory is 256 MiB."],
    ),
    (
        "The river is 1,040 km long; its basin covers 64 000 km² and 35 m³/s flow at its mouth. It falls 2.4m per km, carries 5-10% silt and freezes below -2°C (28°F) on 40+ days/yr.",
        &[
            "The river is 1040 kilometres long.",
            "Its basin covers 64,000 square kilometres.",
            "35 cubic metres a second flow at its mouth.",
            "It carries between five and ten percent silt.",
            "It freezes below 28 °F.",
            "It freezes on more than 40 days a year.",
        ],
        &[
            "The river is 1,400 km long.",
            "Its basin covers 46,000 square kilometres.",
            "It carries 15 to 20 % silt.",
            "It freezes below 2°C.",
        ],
    ),
    (
        "Support answers within 24hrs of your message. The bed is 12inches deep and dries for 3horas.",
        &["Support answers within 24 hours of your message.", "The bed is 12 inches deep."],
        &["Support answers within 48 hours of your message."],
    ),
    (
        "The museum is open 24hours. It has 20\u{a0}000 users.",
        &["The museum is open 24 hours.", "It has 20,000 users."],
        &["It has 30,000 users."],
    ),
    (
        "Insert 3 €0.50 coins. There are 2^128 keys. The loop runs 2x-3 times per tick.",
        &["Insert three coins of 50 cents.", "The loop runs 2 to 3 times per tick."],
        &["Insert 3.5 coins.", "There are 2128 keys."],
    ),
    (
        "Add 2 400g tins of tomatoes.\nBolt\t5\t300\nUpdate from 4.5.0–4.7.2.",
        &["Add two 400g tins of tomatoes.", "Update from 4.5.0–4.7.2."],
        &["Add two 500g tins of tomatoes."],
    ),
    (
        "Between 1/2 and 3/4 of voters agree. Sizes 1/4, 1/2 and 3/4 are sold. Add 250 g and 1/2 teaspoon of salt.",
        &["At most 3/4 of voters agree.", "Size 3/4 is sold.", "Add half a teaspoon of salt."],
        &[],
    ),
    (
        "Play 4/4 and 3/4 time. In 2020 1/2 of members voted. Bake for 1 and 1/2 hours.",
        &["It is played in 3/4 time.", "Half of the members voted in 2020.", "Bake for 1.5 hours."],
        &["Bake for 2.5 hours."],
    ),
    (
        "The garden has 50 m². The tank holds 60 cubic metres. The fence is 70 m long.",
        &[
            "The garden has 50 square metres.",
            "The garden has 50 sq m.",
            "The garden has 50m2.",
            "The tank holds 60 m³.",
            "The tank holds 60,000 litres.",
            "The fence is 70 metres long.",
        ],
        &[
            "The garden has 50 m.",
            "The garden has 50 metres.",
            "The garden has 50 m³.",
            "The tank holds 60 m².",
            "The tank holds 60 metres.",
            "The fence is 70 m² long.",
        ],
    ),
    (
        "The park has 50 km. The field has 60 square feet.",
        &["The field has 60 sq ft."],
        &["The park has 50 km².", "The field has 60 feet."],
    ),
    (
        "El piso tiene 70 metros cuadrados.",
        &["El piso tiene 70 m².", "El piso tiene 70 metros cuadrados."],
        &["El piso tiene 70 metros."],
    ),
    (
        "The flooring costs $7 sq ft. Use 4 M3 bolts on a square of 50 metres.",
        &["The flooring costs $7 per square foot.", "Use 4 bolts of size M3.", "It is a square of 50 m."],
        &["The flooring costs $9 per square foot."],
    ),
    (
        "The tool needs Python 3.10 or newer. It reads version 2.20 of the format. Kotlin 1.1 and Kotlin 1.10 are known.",
        &[
            "The tool needs Python 3.10 or newer.",
            "It reads version 2.20 of the format.",
            "Kotlin 1.1 is known.",
            "Kotlin 1.10 is known.",
        ],
        &["The tool needs Python 3.1 or newer.", "It reads version 2.2 of the format."],
    ),
    (
        "He ran 5 km 2 times. The plot is 10 metres square. You need 40 cm 3 hooks.",
        &["He ran 5 km twice.", "The plot is 10 by 10 metres.", "You need 40 cm and 3 hooks."],
        &["He ran 6 km twice."],
    ),
    (
        "France scored 6.40. Set Temperature 0.70 in the panel. He paid Maria 3.50 for it. Chapter 2 asks for Python 3.10 or later. The bolt is 3.1 mm.",
        &["France scored 6.4.", "Set Temperature 0.7 in the panel.", "He paid Maria 3.5 for it."],
        &["Chapter 2 asks for Python 3.1 or later."],
    ),
    (
        "The bolt is 3.10 mm thick. The bath is kept at pH 7.40. The coffee costs EUR 3.50 and the film is rated 7.50.",
        &[
            "The bolt is 3.1 mm thick.",
            "The bath is kept at pH 7.4.",
            "The coffee costs EUR 3.5.",
            "The film is rated 7.5.",
        ],
        &["The bolt is 3.2 mm thick."],
    ),
    (
        "Use 3/4-inch plywood, cut into 1 1/2-inch pieces. The low is −4 °C.",
        &["Use 3/4 inch plywood.", "Cut it into pieces of 1.5 inches.", "The low is -4 °C."],
        &["Use 1/4 inch plywood.", "The low is 4 °C."],
    ),
];

fn flagged(text: &str, claim: &str) -> Option<String> {
    let index = SourceIndex::new(&[Source::given("1", SourceKind::Doc, text, 1)]);
    let judged = Support::new(&index, "", 0.3, None).judge(claim, &[]);
    let bad = matches!(judged.status, ClaimStatus::Unsupported | ClaimStatus::Contradicted);
    bad.then(|| format!("{claim}: {:?} {}", judged.status, judged.reason))
}

#[test]
fn the_same_figure_in_another_form_is_left_alone() {
    let wrong: Vec<String> = ROWS
        .iter()
        .flat_map(|(text, same, _)| same.iter().filter_map(|claim| flagged(text, claim)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn another_figure_is_caught_in_whatever_form() {
    let missed: Vec<&str> = ROWS
        .iter()
        .flat_map(|(text, _, other)| other.iter().filter(|claim| flagged(text, claim).is_none()))
        .copied()
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn long_runs_of_marks_and_figures_take_linear_time() {
    for piece in ["4.5.0–", "1a1×", "1/2-", "5 ", "1x", "½", "–", "1h"] {
        let text = format!("{} The pump holds 5 litres.", piece.repeat(200_000 / piece.len()));
        assert!(flagged(&text, "The pump holds 5 litres.").is_none(), "{piece}");
    }
}
