package formats_test

import (
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

func TestUnknownPartOfATextIsNamedAndItsTextKept(t *testing.T) {
	lexical := func(nodes string) map[string]any {
		return map[string]any{"lexical": `{"root":{"children":[` + nodes + `]}}`}
	}
	mobiledoc := func(doc string) map[string]any { return map[string]any{"mobiledoc": doc} }
	substack := func(text string) *portable.Blog {
		return read(t, map[string]string{"posts.csv": "post_id,is_published,title\n1.a,true,A\n", "posts/" +
			"1.a.html": text})
	}
	medium := func(text string) *portable.Blog {
		return read(t, map[string]string{"posts/2019-01-02_x-abcdef123456.html": `<article class="h-entry"><h1 ` +
			`class="p-name">A</h1><section class="e-content"><h3>x</h3>` + text + `</section><time ` +
			`class="dt-published" ` +
			`datetime="2020-01-01"></time></article>`})
	}
	tumblr := func(text string) *portable.Blog {
		return read(t, map[string]string{"posts.xml": `<tumblr><posts><post id="1"><regular-title>A</regular-title>` +
			`<regular-body><![CDATA[` + text + `]]></regular-body></post></posts></tumblr>`})
	}
	for name, c := range map[string]struct {
		blog   *portable.Blog
		want   string
		report []string
	}{
		"a card in Ghost's HTML": {ghost(t, map[string]any{"html": `<div class="kg-card kg-poll-card kg-width-wide">` +
			`<p>Tea?</p></div>`}), "Tea?", []string{"the block poll is not known: its text is kept"}},
		"a card in Ghost's HTML with the class of an id": {ghost(t, map[string]any{"html": `<figure class="kg-card ` +
			`kg-image-card kg-card-hascaption"><img src="/a.png" alt="A"></figure>`}), "![A](/a.png)", nil},
		"a card in Lexical": {ghost(t, lexical(`{"type":"recipe","title":"Tea","text":"Boil <b>it</b>",`+
			`"url":"https://a.example/"}`)), "Tea\n\nBoil **it**\n\n[https://a.example/](https://a.example/)",
			[]string{"the block recipe is not known: its text is kept"}},
		"a node in Lexical with others in it": {ghost(t, lexical(`{"type":"columns","children":[{"type":"paragraph",`+
			`"children":[{"type":"tk","text":"x"},{"type":"zwnj"},{"type":"tab"},{"type":"at-link","href":"/b",`+
			`"children":[{"type":"text","text":"y"}]}]}]}`)), "x [y](/b)",
			[]string{"the block columns is not known: its text is kept"}},
		"a call to action": {ghost(t, lexical(`{"type":"call-to-action","textValue":"<p>Come</p>","buttonText":"Go",`+
			`"buttonUrl":"https://a.example/","imageUrl":"__GHOST_URL__/a.png","sponsorLabel":"<p>Ad</p>"}`)),
			"Ad\n\n![](/a.png)\n\nCome\n\n[Go](https://a.example/)", nil},
		"a card for mails only": {ghost(t, lexical(`{"type":"email","html":"<p>Dear {name}</p>"}`)), "",
			[]string{`a card of kind "email" was left out`}},
		"a card without words": {ghost(t, lexical(`{"type":"map","zoom":3}`)), "",
			[]string{`a card of kind "map" was left out`}},
		"nodes that are nested very deeply": {ghost(t, lexical(strings.Repeat(`{"type":"root","children":[`, 210)+
			`{"type":"text","text":"x"}`+strings.Repeat(`]}`, 210))), "",
			[]string{"parts that are nested very deeply were left out"}},
		"a card and an atom in Mobiledoc": {ghost(t, mobiledoc(`{"atoms":[["soft-return","",{}],["mention","@ann",`+
			`{}]],`+
			`"cards":[["recipe",{"html":"<p>Tea</p>"}]],"sections":[[1,"p",[[0,[],0,"a"],[1,[],0,0],[1,[],0,1]]],`+
			`[10,0]]}`)),
			"a  \n@ann\n\nTea", []string{"the block recipe is not known: its text is kept"}},
		"a block of Substack": {substack(`<div class="recipe-wrap big" data-attrs="{&quot;title&quot;:&quot;` +
			`Tea&quot;,` +
			`&quot;url&quot;:&quot;https://a.example/&quot;}" data-component-name="RecipeToDOM"></div>`),
			"Tea\n\n[https://a.example/](https://a.example/)",
			[]string{"the block RecipeToDOM is not known: its text is kept"}},
		"a block of Substack with text": {substack(`<div class="recipe" data-attrs="{}"><p>Boil it</p></div>` +
			``), "Boil it",
			[]string{"the block recipe is not known: its text is kept"}},
		"a poem of Substack": {substack(`<div class="preformatted-block" data-component-name="PreformattedTextBlock` +
			`ToDOM"><label class="hide-text" contenteditable="false">Text within this block</label><pre class="text">` +
			"a\n b</pre></div>"), "```\na\n b\n```", nil},
		"an embed of Substack without an address": {substack(`<div class="instagram" data-attrs="{&quot;title&quot;:` +
			`&quot;At sea&quot;}"></div>`), "At sea", []string{"the block instagram is not known: its text is kept"}},
		"an empty embed of Substack": {substack(`<p>a</p><div class="tiktok-wrap" data-attrs="{}"></div>`), "a",
			[]string{"the block tiktok-wrap was left out"}},
		"a block of Medium": {medium(`<div class="graf graf--poll"><p>Tea?</p></div>`), "## x\n\nTea?",
			[]string{"the block graf--poll is not known: its text is kept"}},
		"a block of Tumblr": {tumblr(`<p data-npf='{"type":"text"}'>a</p><div data-npf='{"type":"poll",` +
			`"question":"Tea?",` +
			`"answers":[{"answer_text":"Yes"}]}'></div>`), "a\n\nYes\n\nTea?",
			[]string{"the block poll is not known: its text is kept"}},
	} {
		t.Run(name, func(t *testing.T) {
			equal(t, "the text", c.blog.Posts[0].Content, c.want)
			var found []string
			for _, p := range c.blog.Problems {
				if !strings.Contains(p.Text, "embedded content is a link") {
					found = append(found, p.Text)
				}
			}
			equal(t, "the report", strings.Join(found, "\n"), strings.Join(c.report, "\n"))
		})
	}
}

func TestPartOfATextForSomeReadersOnlyStaysPrivate(t *testing.T) {
	const gate = `<p>a</p><!--kg-gated-block:begin nonMember:%s memberSegment:"status:free" --><p>secret</p>` +
		`<!--kg-gated-block:end--><p>b</p>`
	members := strings.Replace(gate, "%s", "false", 1)
	card := `{"root":{"children":[{"type":"html","html":"<p>secret</p>","visibility":{"web":{"nonMember":false}}}]}}`
	block := func(name, attributes string) *portable.Blog {
		return single(t, "a.xml", wxr(article("Quay", `<!-- wp:`+name+" "+attributes+` --><p>secret</p><!-- /`+
			`wp:`+name+` -->`)))
	}
	for name, c := range map[string]struct {
		blog   *portable.Blog
		status portable.Status
		want   string
		report string
	}{
		"a card of Ghost for members is left out": {ghost(t, map[string]any{"html": members}), portable.Published,
			"a\n\nb", "quay: a part that only members could read was left out"},
		"unless it is for visitors, too": {ghost(t, map[string]any{"html": strings.Replace(gate, "%s", "true", 1)}),
			portable.Published, "a\n\nsecret\n\nb", ""},
		"or the post is a draft": {ghost(t, map[string]any{"html": members, "status": "draft"}), portable.Draft,
			"a\n\nsecret\n\nb", ""},
		"a card without an end": {ghost(t, map[string]any{"html": strings.Replace(members, "end", "x", 1)}),
			portable.Published, "a", "quay: a part that only members could read was left out"},
		"a card in Lexical makes a draft": {ghost(t, map[string]any{"lexical": card}), portable.Draft, "secret",
			"quay: only members could read a part of it, so the post is a draft"},
		"also beside HTML that has nothing else": {ghost(t, map[string]any{"lexical": card,
			"html": members[len("<p>a</p>") : len(members)-len("<p>b</p>")]}), portable.Draft, "secret",
			"quay: only members could read a part of it, so the post is a draft"},
		"a post of WriteFreely with a part for subscribers": {single(t, "a.json", `{"posts":[{"id":"x","slug":"x",`+
			`"title":"X","body":"a\n\n<!--paid-->\n\nsecret"}]}`), portable.Draft, "a\n\n\n\nsecret",
			"x: imported as a draft: only paying subscribers could read all of it"},
		"a block of WordPress for subscribers": {block("premium-content/subscriber-view", ""), portable.Draft, "secret",
			"Quay: the block premium-content/subscriber-view may have been for some readers only, so the post is " +
				"a draft"},
		"a hidden block of WordPress": {block("paragraph", `{"metadata":{"blockVisibility":false}}`), portable.Draft,
			"secret", "Quay: the block paragraph may have been for some readers only, so the post is a draft"},
		"but not every block of a plugin": {block("premium/heading", ""), portable.Published, "secret",
			"Quay: the block premium/heading is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			p := c.blog.Posts[0]
			if equal(t, "the text", p.Content, c.want); p.Status != c.status {
				t.Errorf("the post is %s, want %s", p.Status, c.status)
			}
			if c.report == "" && len(c.blog.Problems) > 0 {
				t.Errorf("problems %v", c.blog.Problems)
			}
			if c.report != "" {
				reports(t, c.blog, c.report)
			}
		})
	}
}

func TestAPostForSubscribersIsHeldWithItsAddresses(t *testing.T) {
	b := single(t, "a.json", `{"alias":"b","posts":[{"id":"y","slug":"x","title":"X",`+
		`"body":"a\n<!--paid-->\nsecret"}]}`)
	wantPaths(t, b, map[string]string{"X": "/b/x"})
	if p := b.Posts[0]; !p.Held || p.Status != portable.Draft {
		t.Errorf("held: %v, %s", p.Held, p.Status)
	}
}
