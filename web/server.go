package web

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// Users is what the pages need of the users. Errors are of the domain's kinds.
type Users interface {
	userCreator
	userByID
	userByName
	passwordKeeper
	renamer
	userDeleter
	postLister
}

// Posts is what the pages need of the posts, their comments and their likes.
type Posts interface {
	postCreator
	postGetter
	postEditor
	postDeleter
	commentLister
	commentGetter
	commentAdder
	commentDeleter
	liker
	likeChecker
	likeLister
}

// Feed is what the front page needs.
type Feed interface {
	frontPager
}

// Config is what the site is made of. All of it is required.
type Config struct {
	Users    Users
	Posts    Posts
	Feed     Feed
	Markdown *domain.Markdown
	// SessionKeys are secrets of at least 32 bytes each. The first signs and
	// encrypts new cookies; all of them open those that come back.
	SessionKeys [][]byte
	Ready       func(context.Context) error // whether the data can be reached
	// Behind tells, in lines for an operator's eyes, what the workers are behind
	// with; nothing when all is well. It must answer soon.
	Behind func(context.Context) []string
	Logger *slog.Logger
}

func (c Config) check() error {
	switch {
	case c.Users == nil, c.Posts == nil, c.Feed == nil, c.Markdown == nil, c.Ready == nil, c.Behind == nil, c.Logger == nil:
		return errors.New("web: the configuration is incomplete")
	}
	return nil
}

// New makes the handler of the whole site.
func New(c Config) (http.Handler, error) { return newHandler(c, newPasswords()) }

func newHandler(c Config, passwords *passwords) (http.Handler, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	sessions, err := newSessions(c.SessionKeys)
	if err != nil {
		return nil, err
	}
	s := &site{users: c.Users, sessions: sessions, markdown: c.Markdown, logger: c.Logger}
	e := echo.New()
	e.HTTPErrorHandler = s.handleError
	e.Use(s.observe, s.recoverPanic, secure, refuseCrossSite(), limitBody, limitTime)

	assets{}.register(e)
	health{c.Ready, c.Behind}.register(e)
	for _, page := range []interface{ register(*echo.Echo) }{
		home{s, c.Feed},
		signup{s, c.Users, passwords},
		login{s, c.Users, passwords},
		logout{s},
		newPost{s, c.Posts},
		post{s, c.Posts},
		postEdit{s, c.Posts},
		postDelete{s, c.Posts},
		comments{s, c.Posts},
		commentNew{s, c.Posts},
		commentDelete{s, c.Posts},
		like{s, c.Posts},
		likes{s, c.Posts},
		user{s, c.Users},
		settings{s, c.Users},
		settingsDelete{s, c.Users, passwords},
	} {
		page.register(e)
	}
	return e, nil
}

// site is what the pages share.
type site struct {
	users    userByID
	sessions *sessions
	markdown *domain.Markdown
	logger   *slog.Logger
}

// get registers a page: what answers GET answers HEAD.
func get(e *echo.Echo, path string, h echo.HandlerFunc) {
	e.GET(path, h)
	e.HEAD(path, h)
}
