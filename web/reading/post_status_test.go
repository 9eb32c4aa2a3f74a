package reading_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/web/exporting"
	"inkfeed/web/webtest"
)

// A later release may store statuses that this one does not know.
func TestAPostWithAnUnknownStatusIsShownToItsAuthorOnly(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	p := ada.CreateTaggedPost("Secret harbour", "harbour")
	s.Anonymous().Get(p.Path()).Want(http.StatusOK)
	s.ChangePost(p.ID, func(p *domain.Post) { p.Status = "followers" })
	for _, reader := range []*webtest.Visitor{s.Anonymous(), bob} {
		reader.Get(p.Path()).Want(http.StatusNotFound)
		for _, list := range []string{"/", "/@ada", "/tags/harbour", "/feed.atom", "/@ada/feed.rss", "/sitemap.xml"} {
			if body := reader.Get(list).Body; strings.Contains(body, p.ID) {
				t.Errorf("%s shows the post", list)
			}
		}
	}
	if _, err := s.Data.Store.Posts.Like(t.Context(), domain.Like{PostID: p.ID, UserID: bob.User.ID}); err == nil {
		t.Error("another user could like the post")
	}
	ada.Get(p.Path()).Want(http.StatusSeeOther) // to the editor
	store := s.Data.Store
	exporter := exporting.New(nil, exporting.Store{Export: store.Export, Drafts: store.Drafts, Posts: store.Posts})
	var statuses []portable.Status
	for exported, err := range exporter.Posts(t.Context(), ada.User.ID, nil) {
		s.Data.Must(err)
		statuses = append(statuses, exported.Status)
	}
	if len(statuses) != 1 || statuses[0] != portable.Unpublished {
		t.Errorf("the export has the statuses %q", statuses)
	}
}
