package bounce

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Subscribers stores what became of mails.
type Subscribers interface {
	Change(ctx context.Context, id string, change func(*subscription.Subscriber) error) (subscription.Subscriber, error)
	CountBounce(ctx context.Context, authorID, postID string) error
}

// Posts reads posts, for their authors.
type Posts interface {
	Get(ctx context.Context, postID string) (domain.Post, error)
}

// Recorder records returned mails.
type Recorder struct {
	Subscribers Subscribers
	Posts       Posts
}

// Take records a report. Subscribers and posts that do not exist any more are no error.
func (r Recorder) Take(ctx context.Context, report Report) error {
	if report.Kind == Temporary {
		return nil
	}
	_, err := r.Subscribers.Change(ctx, report.SubscriberID, func(s *subscription.Subscriber) error {
		switch {
		case s.Secret == "": // there is none
		case report.Kind == Complaint:
			s.Complain(time.Now())
		default:
			s.Refused(time.Now())
		}
		return nil
	})
	if err == nil && report.Kind == Permanent && report.PostID != "" {
		var post domain.Post
		if post, err = r.Posts.Get(ctx, report.PostID); err == nil {
			err = r.Subscribers.CountBounce(ctx, post.AuthorID, post.ID)
		}
	}
	if err != nil && !domain.Is(err, domain.NotFound) {
		return fmt.Errorf("record a returned mail: %w", err)
	}
	return nil
}

// Endpoint takes returned messages from a program that knows the token.
type Endpoint struct {
	Token  string // empty: the endpoint does not exist
	Signer *Signer
	Take   func(context.Context, Report) error
}

// Register adds the endpoint to the routes of the site.
func (p Endpoint) Register(e *echo.Echo) { e.POST("/mail/bounces", p.take) }

func (p Endpoint) take(c echo.Context) error {
	c.Response().Header().Set("Cache-Control", "no-store")
	given, ok := strings.CutPrefix(c.Request().Header.Get("Authorization"), "Bearer ")
	switch {
	case p.Token == "":
		return c.String(http.StatusNotFound, "INKFEED_BOUNCE_TOKEN is not set.\n")
	case !ok || subtle.ConstantTimeCompare([]byte(given), []byte(p.Token)) != 1:
		c.Response().Header().Set("WWW-Authenticate", "Bearer")
		return c.String(http.StatusUnauthorized, "The token is missing or wrong.\n")
	}
	report, err := p.Signer.Parse(c.Request().Body)
	if errors.Is(err, ErrNoReport) || errors.Is(err, ErrNotOurs) {
		return c.String(http.StatusUnprocessableEntity, err.Error()+"\n")
	}
	if err == nil {
		err = p.Take(c.Request().Context(), report)
	}
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
