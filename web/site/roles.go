package site

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// errWritersOnly is the error for users without permission to write posts.
var errWritersOnly = domain.NewError(domain.Forbidden,
	"You can read, like and comment. Ask an administrator if you'd like to write.")

// writerRoutes are the routes for users with permission to write posts. Users without it can still
// read, unpublish, delete and export posts that they wrote earlier, and read, delete and export their drafts.
var writerRoutes = map[string]bool{
	"GET /new": true, "POST /posts": true, "POST /preview": true,
	"POST /drafts/:id":    true,
	"GET /posts/:id/edit": true, "POST /posts/:id": true,
	"GET /posts/:id/versions/:revision/restore": true, "POST /posts/:id/versions/:revision/restore": true,
	"POST /posts/:id/restore": true, // which may publish the post again
	"GET /images":             true, "POST /images": true, "GET /settings/header": true, "POST /settings/header": true,
	"GET " + ImportPage: true, "POST " + ImportPage: true, "POST " + ImportPage + "/preview": true,
	"POST " + ImportPage + "/start": true, "POST " + ImportPage + "/discard": true,
	"GET " + ImportPage + "/undo": true, "POST " + ImportPage + "/undo": true,
	"GET " + views.NewsletterPath: true, "POST " + views.NewsletterPath: true,
	"POST " + views.NewsletterPath + "/end": true, "GET " + SubscribersImportPath: true,
	"POST " + SubscribersImportPath: true, "GET /posts/:id/mail-preview": true,
	"GET /posts/:id/mail-preview/html": true, "POST /posts/:id/mail-preview": true,
	"GET /@:username/series/:series/rename": true, "POST /@:username/series/:series/rename": true,
}

// WritersOnly is middleware that rejects users without permission to write from those routes. The
// pages themselves ask anonymous visitors to log in.
func (s *Site) WritersOnly(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		method := c.Request().Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if writerRoutes[method+" "+c.Path()] {
			u, err := s.Viewer(c)
			switch {
			case err != nil: // the handler gets it from Viewer, so it can show the submitted text again
				c.Set(viewerErrorKey, err)
			case u.ID != "" && !u.Role.MayWrite():
				return errWritersOnly
			}
		}
		return next(c)
	}
}

// Administrator returns the signed-in user, or a Forbidden error if the user is not an
// administrator.
func (s *Site) Administrator(c echo.Context) (domain.User, error) {
	u, err := s.SignedIn(c)
	if err == nil && !u.Role.MayAdminister() {
		err = domain.NewError(domain.Forbidden, "Only administrators can do this.")
	}
	return u, err
}

// Moderator returns the signed-in user, or a Forbidden error if the user is neither moderator nor
// administrator.
func (s *Site) Moderator(c echo.Context) (domain.User, error) {
	u, err := s.SignedIn(c)
	if err == nil && !u.Role.MayModerate() {
		return domain.User{}, domain.NewError(domain.Forbidden, "Only moderators can see this page.")
	}
	return u, err
}

// AuthorOf returns the author as whom the viewer may write the text with an id: the viewer, or for a static page the
// site. Only administrators write static pages.
func (s *Site) AuthorOf(c echo.Context, postID string) (domain.User, error) {
	viewer, err := s.SignedIn(c)
	if err != nil || !domain.IsPageID(postID) {
		return viewer, err
	}
	if _, err := s.Administrator(c); err != nil {
		return domain.User{}, err
	}
	return domain.SiteUser(), nil
}
