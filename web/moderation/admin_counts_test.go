package moderation_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestAnAccountCountsItsContent(t *testing.T) {
	s := webtest.NewSite(t)
	ada, moderator := s.SignUp("ada"), s.SignUpAs("molly", domain.RoleModerator)
	counts := func(want string) {
		t.Helper()
		text := webtest.CollapseSpace(moderator.Get("/admin/users?name=ada").Want(200).Page().Find(".account").Text())
		if !strings.Contains(text, want) {
			t.Errorf("the account is %q, want %q in it", text, want)
		}
	}
	p := ada.CreatePost("A title", "text")
	ada.CreatePost("Another title", "text")
	t.Run("with posts that are held", func(t *testing.T) {
		counts("2 posts, 0 drafts")
		s.Hold(p.ID, "", domain.HeldForReview)
		counts("2 posts, 0 drafts")
	})
	t.Run("without the avatar among the pictures", func(t *testing.T) {
		ada.Upload("/settings/avatar", webtest.Photo(t, 90, 90)).Want(http.StatusSeeOther)
		counts("0 pictures")
		ada.Upload("/images", webtest.Photo(t, 60, 40)).Want(http.StatusSeeOther)
		counts("1 picture,")
	})
}
