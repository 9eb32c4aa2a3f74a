package formats_test

import (
	"encoding/json"
	"strings"
	"testing"

	"inkfeed/domain/portable"
)

// ghost reads an export of Ghost with one post.
func ghost(t *testing.T, fields map[string]any) *portable.Blog {
	t.Helper()
	post := map[string]any{"id": "1", "uuid": "u", "title": "Quay", "slug": "quay", "status": "published",
		"visibility": "public", "published_at": "2024-02-01T10:00:00.000Z"}
	for name, value := range fields {
		post[name] = value
	}
	text, err := json.Marshal(map[string]any{"db": []any{map[string]any{"data": map[string]any{"posts": []any{post}}}}})
	if err != nil {
		t.Fatal(err)
	}
	return single(t, "ghost.json", string(text))
}

func TestGhostCardIsTranslated(t *testing.T) {
	const bookmark = `<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" ` +
		`href="https://sea.example/"><div class="kg-bookmark-content"><div class="kg-bookmark-title">The sea</div>` +
		`<div class="kg-bookmark-description">All of it.</div><div class="kg-bookmark-metadata"><img ` +
		`class="kg-bookmark-icon" src="https://sea.example/icon.png"><span class="kg-bookmark-author">Sea</span>` +
		`</div></div><div class="kg-bookmark-thumbnail"><img src="https://sea.example/thumb.png"></div></a>` +
		`<figcaption>Worth it</figcaption></figure>`
	const video = `<figure class="kg-card kg-video-card"><div class="kg-video-container"><video ` +
		`src="__GHOST_URL__/content/media/tide.mp4"></video><div class="kg-video-overlay"><button><svg></svg>` +
		`</button></div><div class="kg-video-player-container"><span>0:00</span><div>/<span>0:12</span></div>` +
		`<input type="range"></div></div><figcaption>Tide</figcaption></figure>`
	const audio = `<div class="kg-card kg-audio-card"><img class="kg-audio-thumbnail kg-audio-hide" src=""><div ` +
		`class="kg-audio-thumbnail placeholder"><svg></svg></div><div class="kg-audio-player-container"><audio ` +
		`src="__GHOST_URL__/content/media/gulls.mp3"></audio><div class="kg-audio-title">Gulls</div><div ` +
		`class="kg-audio-player"><button></button><span>0:00</span></div></div></div>`
	const file = `<div class="kg-card kg-file-card"><a class="kg-file-card-container" ` +
		`href="__GHOST_URL__/content/files/chart.pdf" title="Download"><div class="kg-file-card-contents"><div ` +
		`class="kg-file-card-title">Chart</div><div class="kg-file-card-caption">Of the bay</div><div ` +
		`class="kg-file-card-metadata"><div class="kg-file-card-filename">chart.pdf</div></div></div><div ` +
		`class="kg-file-card-icon"><svg></svg></div></a></div>`
	const toggle = `<div class="kg-card kg-toggle-card"><div class="kg-toggle-heading"><h4 ` +
		`class="kg-toggle-heading-text">Why?</h4><button class="kg-toggle-card-icon"><svg></svg></button></div>` +
		`<div class="kg-toggle-content"><p>So.</p></div></div>`
	for name, c := range map[string]struct{ html, want, tells string }{
		"a bookmark": {bookmark, "[The sea](https://sea.example/)\n\nAll of it.\n\n*Worth it*", ""},
		"a callout": {`<div class="kg-card kg-callout-card kg-callout-card-blue"><div class="kg-callout-emoji">` +
			`💡</div><div class="kg-callout-text">Mind the <b>gap</b></div></div>`,
			"> 💡 Mind the **gap**", ""},
		"a toggle": {toggle, "#### Why?\n\nSo.", ""},
		"a video":  {video, "[/content/media/tide.mp4](/content/media/tide.mp4)\n\n*Tide*", "embedded"},
		"a sound":  {audio, "[/content/media/gulls.mp3](/content/media/gulls.mp3)\n\nGulls", "embedded"},
		"a file":   {file, "[Chart](/content/files/chart.pdf \"Download\")\n\nOf the bay", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := ghost(t, map[string]any{"html": c.html})
			if got := b.Posts[0].Content; got != c.want {
				t.Errorf("content:\n%s\nwant:\n%s", got, c.want)
			}
			if want := strings.Count(c.tells, "e") > 0; want != (len(b.Problems) == 1) || len(b.Problems) > 1 {
				t.Errorf("problems %v", b.Problems)
			}
		})
	}
}

func TestGhostCardOfADraftIsTranslated(t *testing.T) {
	b := ghost(t, map[string]any{"status": "draft", "lexical": `{"root":{"type":"root","children":[
		{"type":"callout","calloutEmoji":"💡","calloutText":"<p>Mind it</p>"},
		{"type":"toggle","heading":"Why?","content":"<p>So.</p>"},
		{"type":"button","buttonText":"Sail","buttonUrl":"https://sea.example/"},
		{"type":"bookmark","url":"https://sea.example/","metadata":{"title":"The sea","description":"All of it."}},
		{"type":"gallery","images":[{"src":"__GHOST_URL__/content/images/a.png"}],"caption":"Two"},
		{"type":"file","src":"__GHOST_URL__/content/files/chart.pdf","fileTitle":"Chart","fileCaption":"Of the bay"},
		{"type":"audio","src":"__GHOST_URL__/content/media/gulls.mp3","title":"Gulls"},
		{"type":"video","src":"__GHOST_URL__/content/media/tide.mp4","caption":"Tide"},
		{"type":"product","productTitle":"Oar","productDescription":"<p>Long.</p>` +
		`","productUrl":"https://sea.example/oar","productButton":"Buy"},
		{"type":"header","header":"Big","subheader":"Small"},
		{"type":"paywall"},
		{"type":"signup","header":"Join"}]}}`})
	contains(t, b.Posts[0].Content, "> 💡 Mind it", "#### Why?\n\nSo.", "[Sail](https://sea.example/)",
		"[The sea](https://sea.example/)", "![](/content/images/a.png)\n\n*Two*",
		"[Chart](/content/files/chart.pdf)\n\nOf the bay", "(/content/media/gulls.mp3)",
		"(/content/media/tide.mp4)\n\n*Tide*", "#### Oar\n\nLong.\n\n[Buy](https://sea.example/oar)", "## Big\n\nSmall")
	if len(problems(b, "left out")) != 2 || len(problems(b, `"paywall"`)) != 1 || len(problems(b, `"signup"`)) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
}

func TestGhostKeepsMarkdownAsTyped(t *testing.T) {
	b := ghost(t, map[string]any{"html": "<p>A <em>note</em></p>",
		"lexical": `{"root":{"type":"root","children":[{"type":"markdown","markdown":"A _note_[^1] of ` +
			`[it](__GHOST_URL__/it/)\n\n[^1]: Small"}]}}`})
	if got, want := b.Posts[0].Content, "A _note_[^1] of [it](/it/)\n\n[^1]: Small"; got != want {
		t.Errorf("content:\n%s\nwant:\n%s", got, want)
	}
}

func TestGhostKeepsAddressesWithLettersOfAnyScript(t *testing.T) {
	b := ghost(t, map[string]any{"status": "draft", "lexical": `{"root":{"type":"root","children":[
		{"type":"callout","calloutText":"<p>Mind it</p>"},
		{"type":"markdown","markdown":"See https://cs.wikipedia.org/wiki/Kočka or H~2~O"}]}}`})
	contains(t, b.Posts[0].Content, "[https://cs.wikipedia.org/wiki/Kočka](https://cs.wikipedia.org/wiki/Ko%C4%8Dka)",
		"H₂O")
}

func TestGhostReportsWhatItLeavesOut(t *testing.T) {
	b := ghost(t, map[string]any{"html": "<p>x</p>", "custom_excerpt": "In short.",
		"codeinjection_foot": "<script></script>"})
	if len(problems(b, "code injected")) != 1 || len(b.Problems) != 1 {
		t.Errorf("the injected code is not reported exactly once: %v", b.Problems)
	}
	b = single(t, "ghost.json", `{"db":[{"data":{"posts":[{"id":"1","uuid":"u","title":"Quay","status":"published",`+
		`"html":"<p>x</p>"},`+
		`{"id":"2","uuid":"v","title":"Mole","status":"published","html":"<p>y</p>"}],
		"users":[{"id":"8","name":"Ann"},{"id":"9","name":"Bob"},{"id":"10","name":"Cy"}],`+
		`"posts_authors":[{"post_id":"1","author_id":"8"},{"post_id":"2","author_id":"9"}]}}]}`)
	if len(problems(b, "2 authors, Ann and Bob")) != 1 || len(b.Problems) != 1 {
		t.Errorf("problems %v", b.Problems)
	}
}

func TestPostsWithoutIDsHaveDistinctKeys(t *testing.T) {
	for name, text := range map[string]string{
		"of Ghost":       `{"data":{"posts":[{"html":"x"},{"html":"y","title":"Mole"}]}}`,
		"of WriteFreely": `{"posts":[{"body":"x"},{"body":"y","title":"Mole"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			b := single(t, "x.json", text)
			if b.Posts[0].Where == "" || b.Posts[0].Key == b.Posts[1].Key || b.Posts[1].Where != "Mole" {
				t.Errorf("posts %+v", b.Posts)
			}
		})
	}
}
