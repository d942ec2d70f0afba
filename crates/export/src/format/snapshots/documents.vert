<doc id="01010101010101010101010101010101" url="https://www.baolang.example/cho-que?a=1&amp;b=2" host="www.baolang.example" language="vi" title="Chợ &quot;quê&quot; &lt;họp&gt; sớm &amp; tan sớm" authors="An|Bình/Chi" section="Kinh tế" published="2026-11-20T09:00:00+07:00" fetched="2026-11-20T02:30:00Z" cluster="01010101010101010101010101010101" year="2026" month="2026-11" words="13">
<p kind="paragraph">
<s>
Sáng
nay
<g/>
,
chợ
quê
họp
sớm
<g/>
.
</s>
</p>
<p kind="quotation">
<s>
Bà
con
nói
<g/>
:
"
<g/>
Rau
&lt;
cá
&amp;
thịt
<g/>
"
<g/>
…
</s>
</p>
<p kind="heading">
<s>
Mưa
</s>
</p>
</doc>
<doc id="02020202020202020202020202020202" url="http://villagepost.example/a" host="villagepost.example:8080" language="en" title="" authors="Harbour Wire" section="" published="" fetched="2026-11-20T02:30:00Z" cluster="02020202020202020202020202020202" year="" month="" words="10">
<p kind="paragraph">
<s>
It's
3.5
km
<g/>
.
</s>
</p>
<p kind="paragraph">
<s>
It's
3.5
km
<g/>
.
</s>
</p>
</doc>
<doc id="03030303030303030303030303030303" url="http://villagepost.example/a" host="villagepost.example:8080" language="und" title="" authors="Harbour Wire" section="" published="" fetched="2026-11-20T02:30:00Z" cluster="03030303030303030303030303030303" year="" month="" words="0">
</doc>
