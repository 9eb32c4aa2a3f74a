package pagecache

import (
	"bytes"
	"context"
	"net/http"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain/locale"
	"inkfeed/views"
)

// serveMember answers a user before routing, if everything that the page shows is in the cache. Otherwise it writes
// nothing and reports false: the router then answers, and limits the number of reads and their time. The user and the
// secret are those of the session's cookie. A browser that has just written at another instance is left to the router.
func (p *Middleware) serveMember(w http.ResponseWriter, r *http.Request, userID, secret string) bool {
	if p.site.Inspector != nil && p.site.Inspector.MayInspect(r) || isFragmentRequest(r) || p.writes.hasCookie(r) {
		return false
	}
	s, ok := p.site.Sessions.Recall(userID, secret)
	if !ok {
		return false
	}
	ctx := withOnlyCacheReads(r.Context())
	u, err := p.site.Users.ByID(ctx, userID)
	if err != nil || s.EndedFor(u) {
		return false
	}
	shell, _ := p.shellFor(r, u, p.cachedShell)
	if shell == nil {
		return false
	}
	ctx = locale.With(p.site.WithInfo(ctx), p.site.LanguageFor(u.Language, r.Header["Accept-Language"]))
	setRoute(w, shell.route)
	p.setStrictTransport(w, r)
	answered, err := p.fillGaps(w, r.WithContext(ctx), shell, u, shellHit)
	return answered && err == nil
}

// navigation returns the links at the top of a page for a user, in the language of the context. That of a moderator is
// kept for a second, because it counts queues whose container is not followed.
func (p *Middleware) navigation(ctx context.Context, userID string) ([]byte, error) {
	language := locale.From(ctx)
	return Read(ctx, p.cache, "navigation of "+userID+" "+language.Code(), dependency.FacetAccount,
		func(text []byte) int { return len(text) },
		func(ctx context.Context) ([]byte, error) {
			u, err := p.site.Users.ByID(ctx, userID)
			if err != nil {
				return nil, err
			}
			waiting, err := p.site.WaitingFor(ctx, u)
			if err != nil {
				return nil, err
			}
			var text bytes.Buffer
			page := views.LayoutData{Viewer: u, Waiting: waiting}
			err = views.Navigation(page).Render(locale.With(ctx, language), &text)
			return text.Bytes(), err
		})
}
