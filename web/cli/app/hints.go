package app

import (
	"context"
	"log/slog"
	"time"

	"inkfeed/cosmos"
	"inkfeed/cosmos/copies"
	"inkfeed/domain/sample"
)

// hintTimeout is how long starting waits to find out what is worth telling.
const hintTimeout = 10 * time.Second

// tellIfEmpty tells whoever runs a new blog how to have something to look at. Readers
// could do nothing with that.
func tellIfEmpty(ctx context.Context, feed *copies.Feed, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if page, err := feed.FrontPage(ctx, 1); err == nil && len(page.Items) == 0 { // otherwise the front page shows it
		logger.Info("the blog is empty; for sample posts stop the server, run the command seed and start it again")
	}
}

// tellIfUngoverned tells whoever runs a site on which nobody decides about accounts, and
// nobody will come to by signing up, how to change that.
func tellIfUngoverned(ctx context.Context, users *cosmos.Users, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, hintTimeout)
	defer cancel()
	if governed, err := users.HasAdministrator(ctx); governed || err != nil {
		return
	}
	if name, err := users.SignedUpSince(ctx, sample.UsersEnd()); err == nil && name != "" {
		logger.Warn("nobody administers this site; to give a user that role run the command: inkfeed user promote NAME")
	}
}
