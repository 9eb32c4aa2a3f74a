package web_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

func TestVersions(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "One two three")
	path := "/posts/" + p.ID
	ada.get(path+"/versions").want(200).has("main p:not(.heading p)", "No past versions yet")
	ada.post(path, "title", "A title", "content", "One 二 three", "tags", "sea", "revision", "1").want(303)
	ada.post(path, "title", "Another title", "content", "One 二 three", "tags", "sea", "revision", "2").want(303)
	t.Run("are listed for the author", func(t *testing.T) {
		a := ada.get(path + "/versions").want(200)
		var listed []string
		a.page().Find(".versions li").Each(func(_ int, li *goquery.Selection) { listed = append(listed, squeeze(li.Text())) })
		if len(listed) != 3 || !strings.HasPrefix(listed[0], "Another titleVersion 3 (current)") || !strings.HasPrefix(listed[2], "A titleVersion 11 May 2026") {
			t.Errorf("listed are %q", listed)
		}
		a.has(`.versions a[href="`+path+`/versions/1"]`, "A title")
		ben.get(path + "/versions").want(403)
		ben.get(path + "/versions/1").want(403)
		ben.post(path+"/versions/1/restore", "revision", "3").want(403)
		s.stranger().get(path+"/versions").wantRedirect(303, "/login?next="+url.QueryEscape(path+"/versions"))
	})
	t.Run("one is shown with what has changed since", func(t *testing.T) {
		a := ada.get(path+"/versions/1").want(200).has("h1", "Version 1")
		a.has(`[aria-labelledby="then-title"] pre del`, "two").has(`[aria-labelledby="now-title"] pre ins`, "二")
		a.has(`[aria-labelledby="now-title"] .version-title ins`, "Another").has(`[aria-labelledby="now-title"] .version-tags ins`, "sea")
		for _, none := range []string{"/versions/3", "/versions/9", "/versions/0", "/versions/x", "/versions/01"} {
			ada.get(path + none).want(404)
		}
	})
	t.Run("one is restored as a new version", func(t *testing.T) {
		ada.post(path+"/versions/1/restore", "revision", "3").wantRedirect(303, p.Path())
		got := s.data.post(p.ID)
		if got.Content != "One two three" || got.Tags != "" || got.Title != "A title" || got.Revision != 4 || len(s.data.versions(p.ID)) != 3 {
			t.Errorf("the post is %+v", got)
		}
		ada.post(path+"/versions/1/restore", "revision", "3").wantRedirect(303, p.Path()) // a double click
		if got := s.data.post(p.ID).Revision; got != 4 {
			t.Errorf("the revision is %d", got)
		}
	})
	t.Run("over a change that came meanwhile it asks", func(t *testing.T) {
		ada.post(path+"/versions/2/restore", "revision", "3").want(409).has("h1", "This post has two versions")
	})
	t.Run("changes that were begun are set aside, not lost", func(t *testing.T) {
		ada.post(path, "title", "A title", "content", "Begun", "revision", "4", "do", "save").want(303)
		ada.post(path+"/versions/2/restore", "revision", "4").want(303)
		if aside := aside(ada, p.ID); len(aside) != 1 || aside[0].Content != "Begun" {
			t.Errorf("set aside is %v", aside)
		}
		if got := s.data.post(p.ID).Content; got != "One 二 three" {
			t.Errorf("the post says %q", got)
		}
	})
	t.Run("of an unpublished post one becomes the draft", func(t *testing.T) {
		ada.post(path + "/unpublish").want(303)
		ada.post(path+"/versions/1/restore", "revision", "5").wantRedirect(303, path+"/edit?done=restored")
		if d, _ := draft(ada, p.ID); d.Content != "One two three" {
			t.Errorf("the draft is %q", text(d))
		}
		ben.get(p.Path()).want(404)
	})
}
