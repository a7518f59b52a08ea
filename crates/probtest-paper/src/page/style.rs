//! How the page looks.

/// The style sheet: light, dark, and paper.
pub(super) const STYLE: &str = "
:root{--paper:#fff;--ink:#1b1c20;--faint:#54565f;--line:#d5d7de;--head:#f2f3f6;--good:#00694c;--bad:#a83c00;--link:#0059a3;color-scheme:light dark}
@media screen and (prefers-color-scheme:dark){:root{--paper:#17181c;--ink:#ededf2;--faint:#b0b2bd;--line:#3b3d47;--head:#22242a;--good:#4fd6ab;--bad:#ffa45c;--link:#7cc4ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem;max-width:66rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,'DejaVu Sans',Verdana,Arial,sans-serif}
h1{font-size:1.7rem;line-height:1.25;margin:.2rem 0 1rem}
h2{font-size:1.3rem;margin:2.5rem 0 .6rem;padding-top:1rem;border-top:1px solid var(--line)}
a{color:var(--link)}
a:focus-visible,.wide:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}.skip:focus{position:static}
nav ul,.files{list-style:none;padding:0;margin:.5rem 0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:1rem 0}
dt{color:var(--faint)}dd{margin:0}
figure{margin:1.2rem 0}figure .wide{margin:0}
figure svg{display:block;width:100%;height:auto;max-width:54rem}
figcaption{color:var(--faint);font-size:.9rem;margin-top:.4rem}
.wide{overflow-x:auto;margin:1.2rem 0}
table{border-collapse:collapse;font-size:.88rem;width:100%}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--line)}
thead th{background:var(--head);vertical-align:bottom}
tbody th{font-weight:400;min-width:9rem}
td{font-variant-numeric:tabular-nums}
td.agrees{color:var(--good);white-space:nowrap;font-weight:600}
td.differs{color:var(--bad);white-space:nowrap;font-weight:600}
td.new{color:var(--faint);white-space:nowrap}
td.why{color:var(--faint);min-width:9rem}
.note{border-left:4px solid var(--bad);padding:.3rem .8rem;background:var(--head)}
@media screen and (max-width:44rem){figure svg{min-width:40rem}}
@media print{
body{max-width:none;padding:0;font-size:10pt}
nav,.skip{display:none}
a{color:inherit;text-decoration:none}
.wide{overflow:visible}
figure svg{max-width:17.5cm;max-height:20.5cm}
table{font-size:8pt}
th,td{padding:.2rem .35rem}
tbody th{min-width:3.8cm}
td.why{min-width:0}
figure,tr,p{break-inside:avoid}
h2,section>p,caption,thead{break-after:avoid}
tbody tr:first-child{break-before:avoid}
}
";
