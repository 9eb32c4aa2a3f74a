package writing_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/web/webtest"
)

func TestPastVersions(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "One two three")
	path := "/posts/" + p.ID
	ada.Get(path+"/versions").Want(200).Has("main p:not(.heading p)", "No past versions yet")
	ada.Post(path, "title", "A title", "content", "One 二 three", "tags", "sea", "revision", "1").Want(303)
	ada.Post(path, "title", "Another title", "content", "One 二 three", "tags", "sea", "revision", "2").Want(303)
	t.Run("are listed for the author", func(t *testing.T) {
		a := ada.Get(path + "/versions").Want(200)
		var listed []string
		a.Page().Find(".versions li").
			Each(func(_ int, li *goquery.Selection) { listed = append(listed, webtest.CollapseSpace(li.Text())) })
		if len(listed) != 3 || !strings.HasPrefix(listed[0], "Another titleVersion 3 (current)") ||
			!strings.HasPrefix(listed[2], "A titleVersion 11 May 2026") {
			t.Errorf("the list is %q", listed)
		}
		a.Has(`.versions a[href="`+path+`/versions/1"]`, "A title")
		ben.Get(path + "/versions").Want(403)
		ben.Get(path + "/versions/1").Want(403)
		ben.Post(path+"/versions/1/restore", "revision", "3").Want(403)
		s.Anonymous().Get(path+"/versions").WantRedirect(303, "/login?next="+url.QueryEscape(path+"/versions"))
	})
	t.Run("are shown with the differences from the current version", func(t *testing.T) {
		a := ada.Get(path+"/versions/1").Want(200).Has("h1", "Version 1")
		a.Has(`[aria-labelledby="then-title"] pre del`, "two").Has(`[aria-labelledby="now-title"] pre ins`, "二")
		a.Has(`[aria-labelledby="now-title"] .version-title ins`, "Another").
			Has(`[aria-labelledby="now-title"] .version-line ins`, "sea")
		for _, none := range []string{"/versions/3", "/versions/9", "/versions/0", "/versions/x", "/versions/01"} {
			ada.Get(path + none).Want(404)
		}
	})
	t.Run("are restored after a question", func(t *testing.T) {
		ada.Get(path+"/versions/1").Has(`a[href="`+path+`/versions/1/restore"]`, "Restore this version")
		a := ada.Get(path+"/versions/1/restore").Want(200).Has("h1", "Restore version 1?")
		a.Has("main form p:not(.actions)", "The current version is kept as version 3").
			Has(`form[action="`+path+`/versions/1/restore"] button`, "Restore version 1").
			Has(`form a[href="`+path+`/versions/1"]`, "")
		if a.Value("revision") != "3" {
			t.Errorf("the form has revision %q", a.Value("revision"))
		}
		ben.Get(path + "/versions/1/restore").Want(403)
		ada.Get(path + "/versions/9/restore").Want(404)
		if got := s.Data.Post(p.ID).Revision; got != 3 {
			t.Errorf("asking made revision %d", got)
		}
	})
	t.Run("are restored as new versions", func(t *testing.T) {
		done := path + "/versions?done=restored"
		ada.Post(path+"/versions/1/restore", "revision", "3").WantRedirect(303, done)
		got := s.Data.Post(p.ID)
		if got.Content != "One two three" || got.Tags != "" || got.Title != "A title" || got.Revision != 4 ||
			len(s.Data.Versions(p.ID)) != 3 {
			t.Errorf("the post is %+v", got)
		}
		ada.Post(path+"/versions/1/restore", "revision", "3").WantRedirect(303, done) // a double click
		if got := s.Data.Post(p.ID).Revision; got != 4 {
			t.Errorf("the revision is %d", got)
		}
		ada.Get(done).
			Has(".done[role=status] > p", "It is now version 4. The text that it replaced is kept as version 3.").
			Has(".done a[href='"+p.Path()+"']", "View post")
		ada.Get(path + "/versions").HasNo(".done")
	})
	t.Run("are undone by a button of the page that follows", func(t *testing.T) {
		other := ada.CreatePost("A title", "One")
		path := "/posts/" + other.ID
		ada.Post(path, "title", "A title", "content", "Two", "revision", "1").Want(303)
		ada.Post(path+"/versions/1/restore", "revision", "2").Want(303)
		a := ada.Get(path + "/versions?done=restored").Want(200)
		form := a.Page().Find(".done form")
		revision := form.Find("[name=revision]").AttrOr("value", "")
		ada.Post(form.AttrOr("action", ""), "revision", revision).WantRedirect(303, path+"/versions?done=restored")
		if got := s.Data.Post(other.ID); got.Content != "Two" || got.Revision != 4 {
			t.Errorf("the post is %+v", got)
		}
	})
	t.Run("show a conflict if the post was changed meanwhile", func(t *testing.T) {
		ada.Post(path+"/versions/2/restore", "revision", "3").Want(409).Has("h1", "This post has two versions")
	})
	t.Run("keep unpublished changes as a draft when they are restored", func(t *testing.T) {
		ada.Post(path, "title", "A title", "content", "Begun", "revision", "4", "do", "save").Want(303)
		done := ada.Post(path+"/versions/2/restore", "revision", "4").Want(303).Header.Get("Location")
		ada.Get(done).Has(`.done a[href="/drafts"]`, "draft")
		if aside := aside(ada, p.ID); len(aside) != 1 || aside[0].Content != "Begun" {
			t.Errorf("the drafts with the other version are %v", aside)
		}
		if got := s.Data.Post(p.ID).Content; got != "One 二 three" {
			t.Errorf("the post has %q", got)
		}
	})
	t.Run("become the draft of an unpublished post", func(t *testing.T) {
		ada.Post(path + "/unpublish").Want(303)
		done := path + "/edit?done=restored-kept" // the post's text was a draft since it was unpublished
		ada.Post(path+"/versions/1/restore", "revision", "5").WantRedirect(303, done)
		ada.Get(done).Has(".done", "kept as a separate draft")
		if d, _ := draft(ada, p.ID); d.Content != "One two three" {
			t.Errorf("the draft is %q", text(d))
		}
		ben.Get(p.Path()).Want(404)
	})
}
