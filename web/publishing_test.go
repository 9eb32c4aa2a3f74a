package web_test

import (
	"strconv"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestUnpublishing(t *testing.T) {
	s := newSite(t)
	ada, ben := s.member("ada"), s.member("ben")
	p := ada.aPost("A title", "text")
	path := "/posts/" + p.ID
	ada.get(path+"/unpublish").want(200).has("h1", "Unpublish your post?").has("main form", "only you can see")
	ben.get(path + "/unpublish").want(403)
	ben.post(path + "/unpublish").want(403)
	ben.get(p.Path()).want(200)
	for range 2 {
		ada.post(path+"/unpublish").wantRedirect(303, path+"/edit?done=unpublished")
	}
	ben.get(p.Path()).want(404)
	s.stranger().get(p.Path()).want(404)
	ada.get(p.Path()).wantRedirect(303, path+"/edit")
	for _, to := range []string{"/unlike", "/comments/" + domain.NewID() + "/delete"} { // nothing shines through
		ben.post(path + to).want(404).hasNo("#Page-comment-list").hasNo("#Page-liked-by")
		ben.htmx().post(path+to, "page", "1", "last", "!").want(404)
	}
	a := ada.get(path+"/edit?done=unpublished").want(200).has(".post-status", "only you can see").has(".done", "unpublished")
	ada.get(path + "/delete").want(200) // it can still be deleted
	ada.post(path, sent(a, "do", "publish")...).wantRedirect(303, p.Path())
	ben.get(p.Path()).want(200)
	ada.post("/posts/" + domain.NewID() + "/unpublish").want(404)
}

func TestScheduling(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	schedule := func(local, zone string, more ...string) *answer {
		fields := []string{"do", "schedule", "title", "T", "content", "text", "publishDate", local, "zone", zone}
		return ada.post("/posts", append(fields, more...)...)
	}
	year := strconv.Itoa(time.Now().Year() + 1)
	t.Run("is in the zone that the form names", func(t *testing.T) {
		for zone, want := range map[string]string{"": "10:30", "UTC": "10:30", "Asia/Kolkata": "05:00", "America/New_York": "14:30"} {
			id := domain.NewID()
			schedule(year+"-07-01T10:30", zone, "post", id).wantRedirect(303, "/posts/"+id+"/edit?done=schedule")
			d, _ := draft(ada, id)
			if got := d.Publish.UTC().Format("2006-01-02 15:04"); got != year+"-07-01 "+want {
				t.Errorf("%s: %s", zone, got)
			}
			a := ada.get("/posts/"+id+"/edit?done=schedule").want(200).has(".done", "scheduled").has(`.post-status time.local[datetime="`+d.Publish.UTC().Format(time.RFC3339)+`"]`, "UTC")
			if a.Value("publishDate") != year+"-07-01T"+want || a.Value("zone") != "UTC" {
				t.Errorf("the form holds %s in %s", a.Value("publishDate"), a.Value("zone"))
			}
			ada.post("/posts", sent(a, "do", "unschedule")...).want(303)
			if d, _ := draft(ada, id); !d.Publish.IsZero() {
				t.Error("it still publishes itself")
			}
		}
	})
	t.Run("what is no time to come is said beside the field", func(t *testing.T) {
		for local, why := range map[string]string{"": "Choose a date", "tomorrow": "date and time like this", "2020-01-01T00:00": "in the future"} {
			a := schedule(local, "UTC").want(422).complains("publishDate", why)
			if a.Value("publishDate") != local || a.Value("content") != "text" {
				t.Error("what was typed is lost")
			}
		}
		for _, zone := range []string{"Local", "Nowhere/Land", "../../etc/passwd", "UTC\x00"} {
			schedule(year+"-07-01T10:30", zone).want(422).complains("publishDate", "time zone")
		}
	})
	t.Run("what could not be published is not scheduled", func(t *testing.T) {
		id := domain.NewID()
		schedule("", "UTC", "post", id, "title", "").want(422).complains("title", "cannot be empty").complains("publishDate", "Choose a date")
		if _, there := draft(ada, id); there {
			t.Error("a draft was saved")
		}
	})
}
