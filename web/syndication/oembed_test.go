package syndication_test

import (
	"encoding/json"
	"math"
	"net/url"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestOEmbedDescribesPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A <title>", "![a](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)")
	ask := func(address string, more ...string) *webtest.Response {
		q := url.Values{"url": {address}}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return s.Anonymous().Get("/oembed?" + q.Encode())
	}
	page := "http://example.com" + p.Path()
	t.Run("as links", func(t *testing.T) {
		for _, address := range []string{page, "https://EXAMPLE.com/posts/" + p.ID, page + "?x=y#comments"} {
			a := ask(address, "maxwidth", "1000").Want(200)
			var got map[string]any
			if err := json.Unmarshal([]byte(a.Body), &got); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]any{
				"version": "1.0", "type": "link", "title": "A <title>",
				"author_name": "@ada", "author_url": "http://example.com/@ada",
				"provider_name": "Inkfeed", "provider_url": "http://example.com/", "cache_age": 3600.0,
				"thumbnail_url":   "http://example.com/media/abcdefghijkmnpqrstuvwxyz23-1200x800.960.jpg",
				"thumbnail_width": 960.0, "thumbnail_height": 640.0,
			} {
				if got[key] != want {
					t.Errorf("%s is %v, want %v", key, got[key], want)
				}
			}
		}
	})
	t.Run("in XML", func(t *testing.T) {
		root, err := parseXML(ask(page, "format", "xml").Want(200).Body)
		if err != nil || root.XMLName.Local != "oembed" {
			t.Fatal(root, err)
		}
		c := &complaints{}
		if c.one(root, "version") != "1.0" || c.one(root, "type") != "link" || c.one(root, "title") != "A <title>" ||
			c.one(root, "thumbnail_width") != "1200" || len(c.list) > 0 {
			t.Error(root, c.list)
		}
	})
	t.Run("but no other pages", func(t *testing.T) {
		for _, address := range []string{"", "x", "http://example.com/", "http://example.com/posts/x",
			"http://other.example" + p.Path(), page + "/edit", "http://example.com/@ada",
			"javascript:/posts/" + p.ID, "http://example.com/posts/" + domain.NewID()} {
			ask(address).Want(404)
		}
		ask(page, "format", "html").Want(501)
		s.ChangePost(p.ID, func(p *domain.Post) { p.Status = domain.Unpublished })
		ask(page).Want(404)
	})
}

func TestPicturesOfferedToOtherSites(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	version := admin.Get("/admin/settings").Page().Find("[name=version]").AttrOr("value", "")
	admin.UploadTo("/admin/settings", map[string][]byte{"icon": webtest.GreyPNG(t, 512)}, "version", version,
		"registration", "open", "role", "author", "days", "3", "invited", "trusted").Want(303)
	const icon = "/brand/"
	picture := func(letter, ext string) string {
		return domain.ImageName{Hash: strings.Repeat(letter, 26), Width: 1200, Height: 800, Ext: ext}.Path()
	}
	photo, chosen, animation, drawing := picture("a", domain.ExtJPEG), picture("b", domain.ExtJPEG),
		picture("c", domain.ExtGIF), picture("d", domain.ExtSVG)
	narrow := func(path string) string { return strings.Replace(path, ".jpg", ".960.jpg", 1) }
	for name, test := range map[string]struct{ cover, content, inFeed, thumbnail string }{
		"are the first picture of the text":        {"", photo, photo, narrow(photo)},
		"are the picture that the author chose":    {chosen, photo, chosen, narrow(chosen)},
		"are none if the author wants no cover":    {domain.NoCover, photo, "", icon},
		"are no drawings, which few sites support": {"", drawing, "", icon},
		"are not larger than a site wants them":    {"", animation, animation, icon},
	} {
		t.Run(name, func(t *testing.T) {
			p := admin.CreatePostWith("A title", "![a]("+test.content+")", func(p *domain.Post) {
				p.Details.Cover = strings.TrimPrefix(test.cover, domain.MediaPrefix)
			})
			var feed struct{ Items []struct{ URL, Image string } }
			var embed struct {
				Thumbnail string `json:"thumbnail_url"`
			}
			address := "http://example.com" + p.Path()
			for path, to := range map[string]any{"/feed.json": &feed,
				"/oembed?maxwidth=1000&url=" + url.QueryEscape(address): &embed} {
				if err := json.Unmarshal([]byte(s.Anonymous().Get(path).Want(200).Body), to); err != nil {
					t.Fatal(err)
				}
			}
			got := strings.TrimPrefix(feed.Items[0].Image, "http://example.com")
			if feed.Items[0].URL != address || got != test.inFeed {
				t.Errorf("the feed has the picture %q, want %q", got, test.inFeed)
			}
			if !strings.Contains(embed.Thumbnail, test.thumbnail) {
				t.Errorf("the thumbnail is %q, want %q", embed.Thumbnail, test.thumbnail)
			}
		})
	}
}

// The number of allocations for /oembed does not depend on the length of the post, so the text is not rendered.
func TestOEmbedDoesNotRenderThePost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	allocations := func(content string) float64 {
		address := "/oembed?url=" + url.QueryEscape("http://example.com"+ada.CreatePost("A post", content).Path())
		v := s.Anonymous()
		v.Get(address).Want(200)
		least := math.Inf(1) // sometimes buffers are allocated anew, more often with the race detector
		for range 20 {
			least = min(least, testing.AllocsPerRun(1, func() { v.Get(address) }))
		}
		return least
	}
	short, long := allocations("*One* word."), allocations(strings.Repeat("*One* **word** and `another`.\n\n", 3000))
	if long > short+50 {
		t.Errorf("%.0f allocations for a short post, %.0f for a long one", short, long)
	}
}
