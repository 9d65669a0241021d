//! Characters by their names in roff.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The character that `\(xx` or `\[name]` names: by the table, or by its code points.
pub(super) fn named(name: &str) -> Option<Cow<'static, str>> {
    if let Some(known) = KNOWN.get(name) {
        return Some(Cow::Borrowed(known));
    }
    let code = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    if let Some(decimal) = name.strip_prefix("char") {
        return decimal.parse().ok().and_then(char::from_u32).map(|c| c.to_string().into());
    }
    let points = name.strip_prefix('u')?.split('_').map(code).collect::<Option<String>>()?;
    Some(points.into())
}

static KNOWN: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let mut words = NAMES.split_ascii_whitespace();
    std::iter::from_fn(|| Some((words.next()?, words.next()?))).collect()
});

/// Names of `mandoc_char(7)` and `groff_char(7)`, each before its character.
const NAMES: &str = r#"
!= ≠  %0 ‰  'A Á  'E É  'I Í  'O Ó  'U Ú  'Y Ý  'a á  'e é  'i í  'o ó  'u ú  'y ý  ** ∗  *A Α  *B Β
*C Ξ  *D Δ  *E Ε  *F Φ  *G Γ  *H Θ  *I Ι  *K Κ  *L Λ  *M Μ  *N Ν  *O Ο  *P Π  *Q Ψ  *R Ρ  *S Σ  *T Τ
*U Υ  *W Ω  *X Χ  *Y Η  *Z Ζ  *a α  *b β  *c ξ  *d δ  *e ε  *f ϕ  *g γ  *h θ  *i ι  *k κ  *l λ  *m μ
*n ν  *o ο  *p π  *q ψ  *r ρ  *s σ  *t τ  *u υ  *w ω  *x χ  *y η  *z ζ  +- ±  +e ϵ  +f φ  +h ϑ  +p ϖ
,C Ç  ,c ç  -+ ∓  -> →  -D Ð  -h ℏ  .i ı  .j ȷ  /L Ł  /O Ø  /_ ∠  /l ł  /o ø  12 ½  14 ¼  18 ⅛  34 ¾
38 ⅜  3d ∴  58 ⅝  78 ⅞  :A Ä  :E Ë  :I Ï  :O Ö  :U Ü  :a ä  :e ë  :i ï  :o ö  :u ü  :y ÿ  <- ←  << ≪
<= ≤  <> ↔  == ≡  =~ ≅  >= ≥  >> ≫  AE Æ  AN ∧  Ah ℵ  Bq „  CL ♣  CR ↵  Cs ¤  DI ♦  Do $  Eu €  Fc »
Fi ffi  Fl ffl  Fn ƒ  Fo «  HE ♥  IJ Ĳ  Im ℑ  Lq “  OE Œ  OK ✓  OR ∨  Of ª  Om º  Po £  Re ℜ  Rq ”  S1 ¹
S2 ²  S3 ³  SP ♠  Sd ð  TP Þ  Tp þ  Ye ¥  ^A Â  ^E Ê  ^I Î  ^O Ô  ^U Û  ^a â  ^e ê  ^i î  ^o ô  ^u û
`A À  `E È  `I Ì  `O Ò  `U Ù  `a à  `e è  `i ì  `o ò  `u ù  a" ˝  a- ¯  a. ˙  a^ ^  aa ´  ab ˘  ac ¸
ad ¨  ae æ  ah ˇ  an ⎯  ao ˚  ap ∼  aq '  at @  a~ ~  ba |  bb ¦  bq ‚  br │  braceex ⎪  braceleftbt ⎩
braceleftex ⎪  braceleftmid ⎨  bracelefttp ⎧  bracerightbt ⎭  bracerightex ⎪  bracerightmid ⎬
bracerighttp ⎫  bracketleftbt ⎣  bracketleftex ⎢  bracketlefttp ⎡  bracketrightbt ⎦  bracketrightex ⎥
bracketrighttp ⎤  bu •  bv ⎪  c* ⊗  c+ ⊕  ca ∩  ci ○  co ©  coproduct ∐  cq ’  ct ¢  cu ∪  dA ⇓  da ↓
dd ‡  de °  dg †  di ÷  dq "  em —  en –  eq =  es ∅  eu €  f/ ⁄  fa ∀  fc ›  ff ff  fi fi  fl fl  fm ′
fo ‹  ga `  gr ∇  hA ⇔  ha ^  hbar ℏ  ho ˛  hy -  ib ⊆  if ∞  ij ĳ  integral ∫  ip ⊇  is ∫  lA ⇐  lB [
lC {  la ⟨  lb ⎩  lc ⌈  lf ⌊  lh ☜  lk ⎨  lq “  lt ⎧  lz ◊  mc µ  md ⋅  mi −  mo ∈  mu ×  nb ⊄  nc ⊅
ne ≢  nm ∉  no ¬  oA Å  oa å  oe œ  oq ‘  or |  parenleftbt ⎝  parenleftex ⎜  parenlefttp ⎛
parenrightbt ⎠  parenrightex ⎟  parenrighttp ⎞  pc ·  pd ∂  pl +  pp ⊥  product ∏  ps ¶  pt ∝  r! ¡
r? ¿  rA ⇒  rB ]  rC }  ra ⟩  rb ⎭  rc ⌉  rf ⌋  rg ®  rh ☞  rk ⎬  rn ‾  rq ”  rs \  rt ⎫  ru _  sb ⊂
sc §  sd ″  sh #  sl /  sp ⊃  sq □  sqrt √  sr √  ss ß  st ∋  sum ∑  tdi ÷  te ∃  tf ∴  ti ~  tm ™
tmu ×  tno ¬  ts ς  uA ⇑  ua ↑  ul _  vA ⇕  va ↕  wp ℘  |= ≃  ~= ≈  ~A Ã  ~N Ñ  ~O Õ  ~a ã  ~n ñ  ~o õ
~~ ≈
"#;
