package embed_test

import (
	"encoding/json"
	"strings"
	"testing"

	"inkfeed/domain/embed"
)

func TestFind(t *testing.T) {
	const uuid = "9c9de5e8-0a1e-484a-b099-e80766180a6d"
	for _, c := range []struct{ address, provider, canonical, frame string }{
		{"https://www.youtube.com/watch?v=dQw4w9WgXcQ", "YouTube", "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
			"https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"},
		{"http://youtu.be/dQw4w9WgXcQ?t=1m5s&si=tracking", "YouTube",
			"https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=65",
			"https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=65"},
		{"https://m.youtube.com/shorts/dQw4w9WgXcQ", "YouTube", "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
			"https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"},
		{"https://vimeo.com/76979871", "Vimeo", "https://vimeo.com/76979871",
			"https://player.vimeo.com/video/76979871?dnt=1"},
		{"https://player.vimeo.com/video/76979871?h=8272103f6e", "Vimeo", "https://vimeo.com/76979871/8272103f6e",
			"https://player.vimeo.com/video/76979871?dnt=1&h=8272103f6e"},
		{"https://bsky.app/profile/ada.example.com/post/3l6oveex3ii2l", "Bluesky",
			"https://bsky.app/profile/ada.example.com/post/3l6oveex3ii2l",
			"https://embed.bsky.app/embed/ada.example.com/app.bsky.feed.post/3l6oveex3ii2l"},
		{"https://open.spotify.com/intl-fr/track/4uLU6hMCjMI75M1A2tKUQC?si=x", "Spotify",
			"https://open.spotify.com/track/4uLU6hMCjMI75M1A2tKUQC",
			"https://open.spotify.com/embed/track/4uLU6hMCjMI75M1A2tKUQC"},
		{"https://soundcloud.com/forss/flickermood", "SoundCloud", "https://soundcloud.com/forss/flickermood",
			"https://w.soundcloud.com/player/?url=https%3A%2F%2Fsoundcloud.com%2Fforss%2Fflickermood"},
		{"https://www.openstreetmap.org/#map=14/50.0875/14.4213", "OpenStreetMap",
			"https://www.openstreetmap.org/#map=14/50.0875/14.4213",
			"https://www.openstreetmap.org/export/embed.html?" +
				"bbox=14.399327%2C50.076926%2C14.443273%2C50.098074&layer=mapnik"},
		{"https://www.openstreetmap.org/?mlat=50.1&mlon=14.4#map=14/50.1/14.4", "OpenStreetMap",
			"https://www.openstreetmap.org/?mlat=50.100000&mlon=14.400000#map=14/50.1/14.4",
			"https://www.openstreetmap.org/export/embed.html?" +
				"bbox=14.378027%2C50.089429%2C14.421973%2C50.110571&layer=mapnik&marker=50.100000%2C14.400000"},
		{"https://gist.github.com/octocat/6cad326836d38bd3a7ae", "GitHub Gist",
			"https://gist.github.com/octocat/6cad326836d38bd3a7ae", ""},
		{"https://codeberg.org/forgejo/forgejo/src/branch/forgejo/README.md", "Codeberg",
			"https://codeberg.org/forgejo/forgejo/src/branch/forgejo/README.md", ""},
		{"https://Social.example/@ada/112233445566778899", "Mastodon",
			"https://social.example/@ada/112233445566778899", ""},
		{"https://bücher.example/@ada/112233445566778899", "Mastodon",
			"https://xn--bcher-kva.example/@ada/112233445566778899", ""},
		{"https://tube.example/videos/watch/" + uuid, "PeerTube", "https://tube.example/w/" + uuid, ""},
	} {
		e, ok := embed.Find(c.address)
		if !ok || e.Provider != c.provider || e.Address != c.canonical || e.Frame != c.frame {
			t.Errorf("%s is %+v", c.address, e)
		}
		if again, ok := embed.Find(e.Address); !ok || again != e {
			t.Errorf("the canonical form of %s is %+v", c.address, again)
		}
		if e.Shown() == e.AnyHost {
			t.Errorf("%s is shown: %t", c.address, e.Shown())
		}
	}
	for _, other := range []string{"", "x", "https://www.youtube.com/", "https://www.youtube.com/watch?v=short",
		"https://user@www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com:8443/watch?v=dQw4w9WgXcQ",
		"ftp://vimeo.com/76979871", "https://evil.example/?https://vimeo.com/76979871",
		"https://codeberg.org/explore/repos",
		"https://127.0.0.1/@ada/112233445566778899", "https://localhost/@ada/112233445566778899",
		"https://[::1]/@ada/112233445566778899", "https://social.example:444/@ada/112233445566778899",
		"https://vimeo.com.evil.example/76979871", "https://www.openstreetmap.org/#map=14/95/14",
		"https://social.example:/@ada/112233445566778899", "https://a;b.example/@ada/112233445566778899",
		"https://a,b.example/@ada/112233445566778899", "https://*.example/@ada/112233445566778899",
		"https://soundcloud.com/forss", "https://gist.github.com/octocat",
		"https://youtu.be/dQw4w9WgXcQ\"><script>", "https://tube.example/w/" + strings.Repeat("x", 2000)} {
		if e, ok := embed.Find(other); ok {
			t.Errorf("%s is %+v", other, e)
		}
	}
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		address, answer  string
		want             embed.Card
		thumbnail, shown string
	}{
		"oEmbed": {"https://youtu.be/dQw4w9WgXcQ",
			`{"title":"A\u202e <b>title\n2","author_name":"Rick","thumbnail_url":"https://i.example/x.jpg"}`,
			embed.Card{Title: "A <b>title 2", Author: "Rick"}, "https://i.example/x.jpg",
			"www.youtube-nocookie.com"},
		"a post of Mastodon": {"https://social.example/@ada/112233445566778899",
			`{"author_name":"Ada","html":"<b x=\"https://social.example/@ada/112233445566778899/embed\">"}`,
			embed.Card{Author: "Ada", Frame: "https://social.example/@ada/112233445566778899/embed"}, "",
			"social.example"},
		"a video of PeerTube": {"https://tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv",
			`{"title":"T","html":"<i src=\"https://tube.example/videos/embed/kkGMgK9ZtnKfYAgnEtQxbv?x\">"}`,
			embed.Card{Title: "T", Frame: "https://tube.example/videos/embed/kkGMgK9ZtnKfYAgnEtQxbv"},
			"", "tube.example"},
		"a post of Bluesky": {"https://bsky.app/profile/a.example/post/3l6oveex3ii2l",
			`{"author_name":"A","html":"<b data-bluesky-uri=\"at://did:plc:z72i7/app.bsky.feed.post/3l6oveex3ii2l\">` +
				`<p lang=\"en\">Hello<br>&amp; <a href=\"x\">goodbye</a></p>"}`,
			embed.Card{Title: "Hello & goodbye", Author: "A",
				Frame: "https://embed.bsky.app/embed/did:plc:z72i7/app.bsky.feed.post/3l6oveex3ii2l"}, "",
			"embed.bsky.app"},
		"a gist that is cut off": {"https://gist.github.com/octocat/6cad326836d38bd3a7ae",
			`{"description":"x","files":["a.rb","b.rb"],"div":"<div`, embed.Card{Title: "a.rb, b.rb"}, "", ""},
		"a repository": {"https://codeberg.org/forgejo/forgejo",
			`{"full_name":"forgejo/forgejo","description":"Beyond coding.","avatar_url":"https://codeberg.org/a"}`,
			embed.Card{Title: "forgejo/forgejo", Author: "Beyond coding."}, "https://codeberg.org/a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := embed.Find(c.address)
			card, thumbnail, err := e.Read([]byte(c.answer))
			c.want.Address = e.Address
			if err != nil || card != c.want || thumbnail != c.thumbnail {
				t.Errorf("the card is %+v with %q, %v", card, thumbnail, err)
			}
			if host := e.With([]embed.Card{{}, card}).Host(); host != c.shown {
				t.Errorf("the frame is at %q", host)
			}
		})
	}
	for address, answers := range map[string][]string{
		"https://youtu.be/dQw4w9WgXcQ": {``, `[]`, `{"title":1}`, `{}`, `{"title":" "}`},
		"https://social.example/@ada/112233445566778899": {`{"title":"T"}`,
			`{"title":"T","html":"https://other.example/@ada/112233445566778899/embed"}`},
		"https://tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv": {`{"title":"T"}`,
			`{"title":"T","html":"<i src=\"https://other.example/videos/embed/kkGMgK9ZtnKfYAgnEtQxbv\">"}`},
		"https://gist.github.com/octocat/6cad326836d38bd3a7ae": {`{"files":[]}`, `<html>`},
		"https://codeberg.org/forgejo/forgejo":                 {`{"message":"not found"}`},
	} {
		for _, answer := range answers {
			e, _ := embed.Find(address)
			if card, _, err := e.Read([]byte(answer)); err == nil {
				t.Errorf("%s confirms %s as %+v", answer, address, card)
			}
		}
	}
}

func TestCardsAreStoredAsAnObject(t *testing.T) {
	cards := embed.NewCards(3, []embed.Card{{Address: "https://a.example", Title: "T"}})
	text, err := json.Marshal(cards)
	want := `{"revision":3,"cards":[{"address":"https://a.example","title":"T"}]}`
	if string(text) != want || err != nil {
		t.Errorf("%s, %v", text, err)
	}
	var again embed.Cards
	err = json.Unmarshal([]byte(` { "cards":[{"title":"T","address":"https://a.example"}], "revision" :3}`), &again)
	if err != nil || again != cards || again.Revision() != 3 || len(again.List()) != 1 {
		t.Errorf("%s is read again, %v", again, err)
	}
	for _, none := range []string{`null`, `7`} {
		_ = json.Unmarshal([]byte(none), &again)
		if again != "" || again.Revision() != 0 || again.List() != nil {
			t.Errorf("%s is %q", none, again)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("https://youtu.be/dQw4w9WgXcQ?t=1m5s", `{"title":"T","html":"<p>x</p>"}`)
	f.Add("https://www.openstreetmap.org/?mlat=1&mlon=NaN#map=1/1/1", `{"files":["a"]`)
	f.Fuzz(func(t *testing.T, address, answer string) {
		e, ok := embed.Find(address)
		if !ok {
			return
		}
		card, _, err := e.Read([]byte(answer))
		if err == nil {
			e = e.With([]embed.Card{card})
		}
		if e.Frame != "" && (!strings.HasPrefix(e.Frame, "https://") || strings.ContainsAny(e.Host(), " ;,'\"@:")) {
			t.Errorf("the frame of %s is %q", address, e.Frame)
		}
		if again, ok := embed.Find(e.Address); !ok || again.Address != e.Address {
			t.Errorf("%s is %s, and that is %+v", address, e.Address, again)
		}
	})
}
