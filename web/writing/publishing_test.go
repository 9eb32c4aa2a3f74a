package writing_test

import (
	"strconv"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/webtest"
)

func TestUnpublishingHidesAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID
	ada.Get(path+"/unpublish").Want(200).Has("h1", "Unpublish your post?").Has("main form", "only you can see")
	ben.Get(path + "/unpublish").Want(403)
	ben.Post(path + "/unpublish").Want(403)
	ben.Get(p.Path()).Want(200)
	for range 2 {
		ada.Post(path+"/unpublish").WantRedirect(303, path+"/edit?done=unpublished")
	}
	ben.Get(p.Path()).Want(404)
	s.Anonymous().Get(p.Path()).Want(404)
	ada.Get(p.Path()).WantRedirect(303, path+"/edit")
	// No other form reveals the post.
	for _, to := range []string{"/unlike", "/comments/" + domain.NewID() + "/delete"} {
		ben.Post(path + to).Want(404).HasNo("#Page-comment-list").HasNo("#Page-liked-by")
		ben.HTMX().Post(path+to, "page", "1", "last", "!").Want(404)
	}
	a := ada.Get(path+"/edit?done=unpublished").Want(200).Has(".post-status", "only you can see").
		Has(".done", "unpublished")
	ada.Get(path + "/delete").Want(200) // it can still be deleted
	ada.Post(path, webtest.FormFields(a, "do", "publish")...).WantRedirect(303, p.Path())
	ben.Get(p.Path()).Want(200)
	ada.Post("/posts/" + domain.NewID() + "/unpublish").Want(404)
}

func TestSchedulingAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	schedule := func(local, zone string, more ...string) *webtest.Response {
		fields := []string{"do", "schedule", "title", "T", "content", "text", "publishDate", local, "zone", zone}
		return ada.Post("/posts", append(fields, more...)...)
	}
	year := strconv.Itoa(time.Now().Year() + 1)
	t.Run("uses the time zone of the form", func(t *testing.T) {
		for zone, want := range map[string]string{
			"":                 "10:30",
			"UTC":              "10:30",
			"Asia/Kolkata":     "05:00",
			"America/New_York": "14:30",
		} {
			id := ada.NewPostID()
			schedule(year+"-07-01T10:30", zone, "post", id).WantRedirect(303, "/posts/"+id+"/edit?done=schedule")
			d, _ := draft(ada, id)
			if got := d.Publish.UTC().Format("2006-01-02 15:04"); got != year+"-07-01 "+want {
				t.Errorf("%s: the draft is scheduled for %s", zone, got)
			}
			a := ada.Get("/posts/"+id+"/edit?done=schedule").Want(200).Has(".done", "scheduled").
				Has(`.post-status time.local[datetime="`+d.Publish.UTC().Format(time.RFC3339)+`"]`, "UTC")
			if a.Value("publishDate") != year+"-07-01T"+want || a.Value("zone") != "UTC" {
				t.Errorf("the form has %s in %s", a.Value("publishDate"), a.Value("zone"))
			}
			ada.Post("/posts", webtest.FormFields(a, "do", "unschedule")...).Want(303)
			if d, _ := draft(ada, id); !d.Publish.IsZero() {
				t.Error("the draft is still scheduled")
			}
		}
	})
	t.Run("keeps the time of day at midnight UTC, which is another date in the zone of the site", func(t *testing.T) {
		id := ada.NewPostID()
		schedule(year+"-12-31T19:00", "America/Bogota", "post", id).Want(303)
		d, _ := draft(ada, id)
		ada.Get("/posts/"+id+"/edit").Want(200).
			Has(`.post-status time.local[datetime="`+d.Publish.UTC().Format(time.RFC3339)+`"]`, "UTC")
		p, err := domain.NewPost(ada.User, "T", "text", d.Publish)
		if err != nil {
			t.Fatal(err)
		}
		zone, _ := time.LoadLocation("America/Bogota")
		ctx := siteinfo.With(t.Context(), &siteinfo.Info{TimeZone: zone.String()})
		if got := views.FormatDate(ctx, p.Created); got != "31 December "+year {
			t.Errorf("the post has the date %s", got)
		}
	})
	t.Run("shows an invalid time or zone beside the field", func(t *testing.T) {
		for local, why := range map[string]string{
			"":                 "Choose a date",
			"tomorrow":         "date and time like this",
			"2020-01-01T00:00": "in the future",
		} {
			a := schedule(local, "UTC").Want(422).HasFieldError("publishDate", why)
			if a.Value("publishDate") != local || a.Value("content") != "text" {
				t.Error("the typed text is lost")
			}
		}
		for _, zone := range []string{"Local", "Nowhere/Land", "../../etc/passwd", "UTC\x00"} {
			schedule(year+"-07-01T10:30", zone).Want(422).HasFieldError("publishDate", "time zone")
		}
	})
	t.Run("refuses a draft that breaks the rules of posts", func(t *testing.T) {
		id := ada.NewPostID()
		schedule("", "UTC", "post", id, "title", "").Want(422).HasFieldError("title", "can't be empty").
			HasFieldError("publishDate", "Choose a date")
		if _, there := draft(ada, id); there {
			t.Error("a draft was saved")
		}
		schedule(year+"-07-01T10:30", "UTC", "post", id, "language", "German, I think").Want(422).
			HasFieldError("language", "Enter a language code")
		if _, there := draft(ada, id); there {
			t.Error("a draft with an invalid language was saved")
		}
	})
}

// The author changes the text of a scheduled draft at the moment of its publication.
func TestPublishingATextWhileAnotherIsBeingPublished(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	begun := func(t *testing.T) (domain.Draft, []string) {
		d := ada.CreateDraft("A title", "text", "")
		form := ada.Get("/posts/" + d.PostID + "/edit").Want(200)
		s.Data.ChangeDraft(ada, d.PostID, func(item map[string]any) {
			item["publishDate"], item["publishing"] = domain.Timestamp(time.Now()), true
		})
		return d, webtest.FormFields(form, "content", "typed text", "do", "publish")
	}
	finish := func(t *testing.T, d domain.Draft) domain.Post {
		stored, _ := draft(ada, d.PostID)
		return must(s.Data.Store.Drafts.PublishScheduled(t.Context(),
			domain.ScheduledItem{UserID: ada.User.ID, PostID: d.PostID, At: stored.Publish}))
	}
	t.Run("publishes no second post and keeps the typed text in the form", func(t *testing.T) {
		before := len(s.Data.Items("posts", "post"))
		d, fields := begun(t)
		ada.Post("/posts", fields...).Want(409).Has(`[role="alert"]`, "being published right now").
			Has(`textarea[name="content"]`, "typed text")
		if n := len(s.Data.Items("posts", "post")); n != before {
			t.Errorf("%d posts were published", n-before)
		}
		finish(t, d)
		a := ada.Post("/posts", fields...).Want(409).Has("h1", "This post has two versions").
			Has(`[aria-labelledby="mine-title"] pre`, "typed text")
		ada.Post("/posts", webtest.FormFields(a, "do", "mine")...).Want(303)
		if n := len(s.Data.Items("posts", "post")); n != before+1 || s.Data.Post(d.PostID).Content != "typed text" {
			t.Errorf("%d posts were published, the first is %+v", n-before, s.Data.Post(d.PostID))
		}
	})
	t.Run("shows both versions if the publication ends meanwhile", func(t *testing.T) {
		d, fields := begun(t)
		s.Data.Before("Drafts.Open", func() { finish(t, d) })
		ada.Post("/posts", fields...).Want(409).Has("h1", "This post has two versions").
			Has(`[aria-labelledby="mine-title"] pre`, "typed text")
	})
}
