package web_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// Each request that the cache does not answer is counted, however it bypasses the cache.
func TestReadsThatTheCacheDoesNotAnswerAreLimited(t *testing.T) {
	for name, vary := range map[string]func(v *webtest.Visitor, n int) *webtest.Response{
		"queries":       func(v *webtest.Visitor, n int) *webtest.Response { return v.Get(fmt.Sprint("/?x=", n)) },
		"deep pages":    func(v *webtest.Visitor, n int) *webtest.Response { return v.Get(fmt.Sprint("/?page=", n+2)) },
		"made-up paths": func(v *webtest.Visitor, n int) *webtest.Response { return v.Get(fmt.Sprint("/nothing/", n)) },
		"made-up posts": func(v *webtest.Visitor, _ int) *webtest.Response { return v.Get("/posts/" + domain.NewID()) },
		"made-up logos": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.Get(fmt.Sprintf("/brand/%032x-32.png", n))
		},
		"made-up tags":  func(v *webtest.Visitor, n int) *webtest.Response { return v.Get(fmt.Sprint("/tags/t", n)) },
		"made-up users": func(v *webtest.Visitor, n int) *webtest.Response { return v.Get(fmt.Sprint("/@user", n)) },
		"archives": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.Get(fmt.Sprint("/@ada/archive/", 1990+n))
		},
		"feeds with a query": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.Get(fmt.Sprint("/feed.atom?x=", n))
		},
		"fragments": func(v *webtest.Visitor, n int) *webtest.Response { return v.HTMX().Get("/") },
		"HEAD with a query": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.Send(http.MethodHead, fmt.Sprint("/?x=", n), nil)
		},
		"oEmbed": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.Get(fmt.Sprint("/oembed?url=x&n=", n))
		},
		"sitemap with a query": func(v *webtest.Visitor, n int) *webtest.Response {
			return v.Get(fmt.Sprint("/sitemap.xml?x=", n))
		},
		"exports of drafts": func(v *webtest.Visitor, n int) *webtest.Response { return v.Get("/drafts") },
		"other encodings": func(v *webtest.Visitor, n int) *webtest.Response {
			v.Header.Set("Accept-Encoding", fmt.Sprintf("gzip;q=0.%d", n+1))
			return v.Get(fmt.Sprint("/?y=", n))
		},
		"ranges": func(v *webtest.Visitor, n int) *webtest.Response {
			v.Header.Set("Range", fmt.Sprintf("bytes=%d-", n))
			return v.Get(fmt.Sprint("/?z=", n))
		},
		"conditional requests": func(v *webtest.Visitor, n int) *webtest.Response {
			v.Header.Set("If-None-Match", fmt.Sprintf(`"%d"`, n))
			return v.Get(fmt.Sprint("/?w=", n))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewCachedSite(t, "read=3/1h,write=off")
			for n := range 3 {
				if a := vary(s.Anonymous(), n); a.StatusCode == http.StatusTooManyRequests {
					t.Errorf("request %d is refused", n+1)
				}
			}
			vary(s.Anonymous(), 3).WantRetryAfter(time.Hour)
			if a := vary(s.Anonymous().From("198.51.100.7"), 4); a.StatusCode == http.StatusTooManyRequests {
				t.Error("a visitor from another address is refused too")
			}
		})
	}
}

// The readers of a large network share one address.
func TestManyReadersBehindOneAddressAreServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewCachedSite(t, "")
		ada := s.SignUp("ada")
		var paths []string
		for i := range 20 {
			paths = append(paths, ada.CreatePost(fmt.Sprint("Post ", i), "Text.").Path())
		}
		for range 10 { // seconds
			for reader := range 300 {
				if a := s.Anonymous().Get(paths[reader%len(paths)]); a.StatusCode != http.StatusOK {
					t.Fatalf("%s is answered with %d", a.Request, a.StatusCode)
				}
			}
			time.Sleep(time.Second)
		}
	})
}

func TestMembersAreCountedApartFromTheirNetwork(t *testing.T) {
	s := webtest.NewCachedSite(t, "read=5/1h")
	ada := s.SignUp("ada")
	for n := range 6 {
		s.Anonymous().Get(fmt.Sprint("/?x=", n))
	}
	s.Anonymous().Get("/?x=y").WantRetryAfter(time.Hour)
	ada.Get("/settings").Want(200)
}

func TestReadsForAMemberCountAlthoughThePageIsInMemory(t *testing.T) {
	s := webtest.NewCachedSite(t, "read=3/1h,write=off")
	ada, ben, carl := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("carl")
	var posts []domain.Post
	for n := range 4 {
		p := ada.CreatePost(fmt.Sprint("Post ", n), "Text.")
		carl.Post("/posts/" + p.ID + "/like").Want(303)
		posts = append(posts, p)
	}
	dora := s.SignUp("dora")
	for _, p := range posts[:3] {
		dora.Get(p.Path()).Want(200) // the page for all members is in memory then
		ben.Get(p.Path()).Want(200)  // reads whether ben likes the post
	}
	for range 2 {
		ben.Get(posts[0].Path()).Want(200) // all of it is in memory
	}
	carl.Get(posts[3].Path()).Want(200)
	ben.Get(posts[3].Path()).WantRetryAfter(time.Hour)
}
