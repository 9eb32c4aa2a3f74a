package web_test

import "strings"

// attacks are texts that call ran() if a page uses them as markup or code. They follow the published filter-evasion
// lists of OWASP, PortSwigger and HTML5 Security, with one or two texts of each kind.
var attacks = strings.Split(strings.TrimSpace(`
<script>ran()</script>
<SCRIPT SRC=data:text/javascript,ran()></SCRIPT>
<scr<script>ipt>ran()</scr</script>ipt>
<script/x>ran()</script>
<script	>ran()</script	>
<<script>ran();//<</script>
<script>ran()//
</script><script>ran()</script>
</title><script>ran()</script>
</textarea><script>ran()</script>
</style><script>ran()</script>
--><script>ran()</script>
]]><script>ran()</script>
<!--><img src=x onerror=ran()>-->
<!-- <img src=--><img src=x onerror=ran()//">
<![CDATA[<img src=x onerror=ran()>]]>
<?xml version="1.0"?><script xmlns="http://www.w3.org/1999/xhtml">ran()</script>
<noscript><p title="</noscript><img src=x onerror=ran()>">
<img src=x onerror=ran()>
<img src=x onerror="ran()">
<img src='x' onerror='ran()'>
<img/src=x/onerror=ran()>
<IMG SRC=x OnErRoR=ran()>
<img src=x onerror=&#114;&#97;&#110;&#40;&#41;>
<img src=x onerror=\u0072an()>
<img """><script>ran()</script>">
<img src="x`+"`"+`<script>ran()</script>"`+"`"+`>
<img src=javascript:ran()>
<img srcset="x 1x" onerror=ran()>
<img src=x:alert(alt) onerror=eval(alt) alt=ran()>
"><img src=x onerror=ran()>
'><img src=x onerror=ran()>
" onmouseover="ran()" autofocus onfocus="ran()
' onmouseover='ran()' autofocus onfocus='ran()
x onfocus=ran() autofocus tabindex=1
`+"`"+` onfocus=ran() autofocus x=`+"`"+`
\" autofocus onfocus=ran() \"
<svg onload=ran()>
<svg/onload=ran()>
<svg><script>ran()</script></svg>
<svg><script href=data:,ran() />
<svg><animate onbegin=ran() attributeName=x dur=1s>
<svg><set attributeName=onmouseover to=ran() />
<svg><a xlink:href=javascript:ran()><text x=0 y=20>x</text></a></svg>
<svg><style><img src=x onerror=ran()></style></svg>
<svg></p><style><a id="</style><img src=x onerror=ran()>">
<math><mtext><table><mglyph><style><img src=x onerror=ran()>
<math href="javascript:ran()">x</math>
<math><mi//xlink:href="javascript:ran()">x
<body onload=ran()>
<body background=javascript:ran()>
<html onmouseover=ran()>
<iframe src=javascript:ran()></iframe>
<iframe srcdoc="<script>parent.ran()</script>"></iframe>
<iframe onload=ran()></iframe>
<frameset onload=ran()><frame src=javascript:ran()></frameset>
<object data=javascript:ran()></object>
<object data="data:text/html,<script>parent.ran()</script>"></object>
<embed src=javascript:ran()>
<applet code=x onerror=ran()>
<input autofocus onfocus=ran()>
<input type=image src=x onerror=ran()>
<button autofocus onfocus=ran()>x</button>
<select autofocus onfocus=ran()></select>
<textarea autofocus onfocus=ran()></textarea>
<keygen autofocus onfocus=ran()>
<form action=javascript:ran()><input type=submit autofocus></form>
<form><button formaction=javascript:ran()>x</button></form>
<isindex type=image src=x onerror=ran()>
<details open ontoggle=ran()><summary>x</summary></details>
<dialog open onclose=ran()><form method=dialog><button>x</button></form></dialog>
<div popover id=p onbeforetoggle=ran()>x</div><button popovertarget=p>x</button>
<video src=x onerror=ran()></video>
<video><source onerror=ran()></video>
<audio src=x onerror=ran()></audio>
<video poster=javascript:ran()></video>
<marquee onstart=ran()>x</marquee>
<bgsound src=javascript:ran()>
<style>@import 'data:text/css,x';</style><div style="animation-name:x" onanimationstart=ran()>
<style>*{x:expression(ran())}</style>
<div style="width:expression(ran())">x</div>
<div style="background:url(javascript:ran())">x</div>
<x style="behavior:url(#default#time2)" onbegin=ran()>
<link rel=stylesheet href=javascript:ran()>
<link rel=import href="data:text/html,<script>ran()</script>">
<meta http-equiv=refresh content="0;url=javascript:ran()">
<meta http-equiv=refresh content="0;url=data:text/html,<script>ran()</script>">
<base href=javascript:ran()//>
<template><img src=x onerror=ran()></template>
<xss id=x tabindex=1 onfocus=ran() autofocus></xss>
<xss contenteditable onbeforeinput=ran()>x</xss>
<a href=javascript:ran()>x</a>
<a href=JaVaScRiPt:ran()>x</a>
<a href="java&#x09;script:ran()">x</a>
<a href="java&#x0A;script:ran()">x</a>
<a href="&#x01;javascript:ran()">x</a>
<a href="javascript&colon;ran()">x</a>
<a href="&#106&#97&#118&#97&#115&#99&#114&#105&#112&#116&#58ran()">x</a>
<a href=vbscript:ran()>x</a>
<a href="data:text/html;base64,PHNjcmlwdD5yYW4oKTwvc2NyaXB0Pg==">x</a>
<a href=x ping=javascript:ran() onclick=ran()>x</a>
<div hx-on:load="ran()" data-hx-on:click="ran()">x</div>
<div data-hx-get="data:text/html,<script>ran()</script>" data-hx-trigger="load">x</div>
<div hx-get="javascript:ran()" hx-trigger="load, every 1s">x</div>
<div data-hx-vals="js:{x: ran()}" data-hx-post="/" data-hx-trigger="load">x</div>
<hx-partial hx-get="/" hx-trigger="load[ran()]"></hx-partial>
[x](javascript:ran())
[x](JAVASCRIPT:ran())
[x](  javascript:ran())
[x](java&#x73;cript:ran())
[x](&#x6A;avascript:ran())
[x](javascript&colon;ran())
[x](\javascript:ran())
[x](data:text/html;base64,PHNjcmlwdD5yYW4oKTwvc2NyaXB0Pg==)
[x](vbscript:ran())
[x](<javascript:ran()>)
[x](x "t" onmouseover=ran())
[x](x 't" onmouseover="ran()')
![x](javascript:ran())
![x" onerror="ran()](x)
![x](x"onerror="ran())
![x](x "t" onerror="ran()")
<javascript:ran()>
<data:text/html,x>
<x:" onclick=ran() x=">
https://x.example/"onmouseover="ran()
https://x.example/<script>ran()</script>
https://x.example/?a='onmouseover='ran()
[x]: javascript:ran() "t"
[^x]: <img src=x onerror=ran()>
~~~"><img src=x onerror=ran()>
`+"```"+`"onmouseover="ran()
# x {#y onmouseover=ran()}
{{constructor.constructor('ran()')()}}
${ran()}
%3Cscript%3Eran()%3C/script%3E
&lt;script&gt;ran()&lt;/script&gt;
&#60;script&#62;ran()&#60;/script&#62;
\u003cscript\u003eran()\u003c/script\u003e
\x3cscript\x3eran()\x3c/script\x3e
+ADw-script+AD4-ran()+ADw-/script+AD4-
＜script＞ran()＜/script＞
‹script›ran()‹/script›
<ſcript>ran()</ſcript>
javascript:ran()
javascript://x.example/%0Aran()
data:text/html,<script>ran()</script>
//x.example/"><script>ran()</script>
`), "\n")
