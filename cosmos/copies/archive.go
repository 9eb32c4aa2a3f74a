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
// which takes one more query. The years are those of domain.YearOf in a time zone.
func (u *UserCopies) Archive(ctx context.Context, userID string, zone *time.Location, year, page int) (domain.Archive,
	error) {
	ctx = client.Reads("archive").In(ctx)
	if year == 0 {
		var err error
		if year, err = u.yearBefore(ctx, userID, zone, domain.LastYear+1); err != nil || year == 0 {
			return domain.Archive{}, client.Translate(err)
		}
	}
	archive := domain.Archive{Year: year}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		parameters := make(client.Parameters)
		rows, err := client.Query[PostCopy](ctx, u.c, userID, `SELECT `+titleProperties+` FROM c
			 WHERE c.type = 'post' AND `+since(year, zone, parameters)+` AND `+before(year+1, zone, parameters)+`
			 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
			client.PageOf(page, domain.ArchivePerPage, parameters))
		archive.Posts = domain.Cut(Summaries(rows), page, domain.ArchivePerPage)
		return err
	})
	group.Go(func() (err error) {
		archive.Older, err = u.yearBefore(ctx, userID, zone, year)
		return err
	})
	group.Go(func() (err error) {
		archive.Newer, err = u.yearAfter(ctx, userID, zone, year)
		return err
	})
	return archive, client.Translate(group.Wait())
}

// since returns a condition for posts of a year and later ones, and adds its parameters. In a zone west of Greenwich
// the year begins hours after its first date without a time of day, which is midnight in UTC.
func since(year int, zone *time.Location, p client.Parameters) string {
	start, date := domain.YearStart(year, zone), domain.YearStart(year, time.UTC)
	p["since"] = schema.Instant(start)
	if !date.Before(start) {
		return `c.creationDate >= @since`
	}
	p["firstDate"] = schema.Instant(date)
	return `(c.creationDate >= @since OR c.creationDate = @firstDate)`
}

// before returns the opposite condition of since.
func before(year int, zone *time.Location, p client.Parameters) string {
	start, date := domain.YearStart(year, zone), domain.YearStart(year, time.UTC)
	p["before"] = schema.Instant(start)
	if !date.Before(start) {
		return `c.creationDate < @before`
	}
	p["nextDate"] = schema.Instant(date)
	return `c.creationDate < @before AND c.creationDate != @nextDate`
}

// yearBefore finds the last year before the given one in which a user published posts. It returns 0 if there is
// none.
func (u *UserCopies) yearBefore(ctx context.Context, userID string, zone *time.Location, year int) (int, error) {
	parameters := make(client.Parameters)
	return u.yearOf(ctx, userID, zone,
		before(year, zone, parameters)+` ORDER BY c.type DESC, c.creationDate DESC, c.id DESC`, parameters)
}

// yearAfter finds the first year after the given one in which a user published posts. It returns 0 if there is
// none.
func (u *UserCopies) yearAfter(ctx context.Context, userID string, zone *time.Location, year int) (int, error) {
	parameters := make(client.Parameters)
	return u.yearOf(ctx, userID, zone,
		since(year+1, zone, parameters)+` ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`, parameters)
}

// yearOf returns the year of the first post under a condition and order, or 0. Queries within a partition have no
// predicate on the user, since each predicate adds to the charge.
func (u *UserCopies) yearOf(ctx context.Context, userID string, zone *time.Location, first string,
	parameters client.Parameters) (int, error) {
	rows, err := client.Query[place](ctx, u.c, userID,
		`SELECT TOP 1 c.id, c.creationDate FROM c WHERE c.type = 'post' AND `+first, parameters)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return domain.YearOf(time.Time(rows[0].CreationDate), zone), nil
}
