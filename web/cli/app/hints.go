package app

import (
	"context"
	"log/slog"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/copies"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
)

// hintTimeout limits the time of each query for a hint, during which the start waits.
const hintTimeout = 10 * time.Second

// logIfEmpty logs how to add sample posts if the blog has none. The hint is for the operator, so the pages do not
// show it.
func logIfEmpty(ctx context.Context, feed *copies.Feed, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if page, err := feed.FrontPage(ctx, 1); err == nil && len(page.Items) == 0 { // the front page shows an error
		logger.Info("the blog is empty; the setup offers sample posts after the first sign-up, " +
			"and the command seed makes a whole blog")
	}
}

// beginIfNew stores the settings of a new site. If that fails, the next start tries again while there are no accounts.
func beginIfNew(ctx context.Context, store *cosmos.Store, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if err := store.BeginIfNew(ctx); err != nil {
		logger.Warn("cannot store the looks of a new site", "error", err)
	}
}

// warnIfNoAdministrator logs how to appoint an administrator if the site has users but no administrator. Only the first
// user of a new site becomes an administrator by signing up.
func warnIfNoAdministrator(ctx context.Context, store *cosmos.Store, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if governed, err := store.Administrators.HasAny(ctx); governed || err != nil {
		return
	}
	if name, err := store.Users.RealUser(ctx); err == nil && name != "" {
		logger.Warn("this site has no administrator; to appoint a user run the command: inkfeed user promote NAME")
	}
}

// warnOfClaims logs which static pages and old addresses have the paths of lists of the site, which they replace.
func warnOfClaims(ctx context.Context, pages siteinfo.Pages, old site.OldAddresses, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	claims, err := site.Claims(ctx, pages, old)
	if err != nil {
		logger.Warn("cannot check what replaces lists of the site", "error", err)
	}
	for _, c := range claims {
		logger.Warn("a static page or an old address replaces a page of the site; to show that page, move it at "+
			"/admin/pages", "path", c.Path)
	}
}
