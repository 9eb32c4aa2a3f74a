package copies

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// titleProperties are the properties of a copy that an archive or a link to a post shows.
const titleProperties = `c.id, c.type, c.postId, c.userId, c.userUsername, c.userDisplayName,
	c.title, c.slug, c.creationDate, c.details`

// Archive returns one page of the posts that a user published in a year, from the user's own partition. It runs
// one query for the posts and one for each neighbouring year with posts. Year 0 means the latest year with posts,
// which takes one more query.
func (u *UserCopies) Archive(ctx context.Context, userID string, year, page int) (domain.Archive, error) {
	ctx = client.Reads("archive").In(ctx)
	if year == 0 {
		var err error
		if year, err = u.yearBefore(ctx, userID, domain.LastYear+1); err != nil || year == 0 {
			return domain.Archive{}, client.Translate(err)
		}
	}
	archive := domain.Archive{Year: year}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		rows, err := client.Query[PostCopy](ctx, u.c, userID, `SELECT `+titleProperties+` FROM c
			 WHERE c.type = 'post' AND c.creationDate >= @from AND c.creationDate < @to
			 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
			client.PageOf(page, domain.ArchivePerPage, client.Parameters{
				"from": schema.Instant(domain.YearStart(year)), "to": schema.Instant(domain.YearStart(year + 1))}))
		archive.Posts = domain.Cut(Summaries(rows), page, domain.ArchivePerPage)
		return err
	})
	group.Go(func() (err error) {
		archive.Older, err = u.yearBefore(ctx, userID, year)
		return err
	})
	group.Go(func() (err error) {
		archive.Newer, err = u.yearAfter(ctx, userID, year)
		return err
	})
	return archive, client.Translate(group.Wait())
}

// yearBefore finds the last year before the given one in which a user published posts. It returns 0 if there is
// none.
func (u *UserCopies) yearBefore(ctx context.Context, userID string, year int) (int, error) {
	return u.yearOf(ctx, userID, `c.creationDate < @date ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`,
		domain.YearStart(year))
}

// yearAfter finds the first year after the given one in which a user published posts. It returns 0 if there is
// none.
func (u *UserCopies) yearAfter(ctx context.Context, userID string, year int) (int, error) {
	return u.yearOf(ctx, userID, `c.creationDate >= @date ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
		domain.YearStart(year+1))
}

// yearOf returns the year of the first post under a condition and order, or 0. Queries within a partition have no
// predicate on the user, since each predicate adds to the charge.
func (u *UserCopies) yearOf(ctx context.Context, userID, first string, date time.Time) (int, error) {
	rows, err := client.Query[place](ctx, u.c, userID,
		`SELECT TOP 1 c.id, c.creationDate FROM c WHERE c.type = 'post' AND `+first,
		client.Parameters{"date": schema.Instant(date)})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return time.Time(rows[0].CreationDate).Year(), nil
}
