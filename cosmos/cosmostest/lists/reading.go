package lists

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// mustCopy copies a post with a date to its author's partition.
func (s *suite) mustCopy(
	t *testing.T,
	author domain.User,
	created time.Time,
	change func(*domain.Summary),
) domain.Post {
	t.Helper()
	sum := fixture.Summary(author, 0, 2)
	sum.Created = created
	if change != nil {
		change(&sum)
	}
	fixture.Check(t, s.UserCopies.ApplySummary(t.Context(), sum))
	return domain.Post{ID: sum.PostID, AuthorID: sum.AuthorID, Tags: sum.Tags, Title: sum.Title, Created: sum.Created}
}

func (s *suite) archive(t *testing.T) {
	day := func(year int, month time.Month, date int) time.Time {
		return time.Date(year, month, date, 0, 0, 0, 0, time.UTC)
	}
	author := s.MustUser(t)
	read := func(t *testing.T, year, page int) domain.Archive {
		t.Helper()
		return fixture.Must[domain.Archive](t)(s.UserCopies.Archive(t.Context(), author.ID, time.UTC, year, page))
	}
	fixture.Run(t, "an author without posts has no years", func(t *testing.T) {
		if got := read(t, 0, 1); got.Year != 0 || len(got.Posts.Items) != 0 {
			t.Errorf("the archive is %+v", got)
		}
		if got := read(t, 2024, 1); got.Older != 0 || got.Newer != 0 || len(got.Posts.Items) != 0 {
			t.Errorf("the archive is %+v", got)
		}
	})
	fixture.Run(t, "the years are those of a time zone, and dates without a time of day are the same in all zones",
		func(t *testing.T) {
			author := s.MustUser(t)
			morning := time.Date(2025, 1, 1, 4, 30, 0, 0, time.UTC)
			evening := time.Date(2025, 12, 31, 23, 30, 0, 0, time.UTC)
			date := day(2026, 1, 1)
			for _, created := range []time.Time{morning, evening, date} {
				s.mustCopy(t, author, created, nil)
			}
			for zone, years := range map[string]map[int][]time.Time{
				"UTC":              {2025: {evening, morning}, 2026: {date}},
				"Europe/Prague":    {2025: {morning}, 2026: {date, evening}},
				"America/New_York": {2024: {morning}, 2025: {evening}, 2026: {date}},
				"Pacific/Apia":     {2025: {morning}, 2026: {date, evening}},
			} {
				place := fixture.Must[*time.Location](t)(time.LoadLocation(zone))
				for year := 2023; year < 2028; year++ {
					got := fixture.Must[domain.Archive](t)(s.UserCopies.Archive(t.Context(), author.ID, place, year, 1))
					var times []time.Time
					for _, p := range got.Posts.Items {
						times = append(times, p.Created.UTC())
					}
					if !slices.Equal(times, years[year]) {
						t.Errorf("%s, %d: posts of %v, want %v", zone, year, times, years[year])
					}
					older, newer := 0, 0
					for other := range years {
						if other < year {
							older = max(older, other)
						}
						if other > year && (newer == 0 || other < newer) {
							newer = other
						}
					}
					if got.Older != older || got.Newer != newer {
						t.Errorf("%s, %d: neighbours %d and %d, want %d and %d", zone, year, got.Older, got.Newer,
							older, newer)
					}
				}
			}
		})
	var ids []string
	for _, created := range []time.Time{
		day(2026, 3, 1), day(2024, 1, 1).AddDate(1, 0, 0).Add(-time.Millisecond), day(2024, 5, 5), day(2024, 1, 1),
		day(2019, 12, 31),
	} {
		ids = append(ids, s.mustCopy(t, author, created, nil).ID)
	}
	s.mustCopy(t, author, day(2024, 6, 6), func(sum *domain.Summary) { sum.Status = domain.Unlisted })
	s.mustCopy(t, author, day(2021, 6, 6), func(sum *domain.Summary) { sum.Status = domain.Unpublished })
	s.mustCopy(t, s.MustUser(t), day(2022, 6, 6), nil)
	for _, want := range []struct {
		asked, year, older, newer int
		ids                       []string
	}{
		{0, 2026, 2024, 0, ids[:1]},
		{2026, 2026, 2024, 0, ids[:1]},
		{2024, 2024, 2019, 2026, ids[1:4]},
		{2019, 2019, 0, 2024, ids[4:]},
		{2022, 2022, 2019, 2024, nil},
		{domain.LastYear, domain.LastYear, 2026, 0, nil},
		{domain.FirstYear, domain.FirstYear, 0, 2019, nil},
	} {
		fixture.Run(t, fmt.Sprint("of the year ", want.asked), func(t *testing.T) {
			got := read(t, want.asked, 1)
			if got.Year != want.year || got.Older != want.older || got.Newer != want.newer || got.Posts.More ||
				!slices.Equal(idsOf(got.Posts.Items), want.ids) {
				t.Errorf("got %+v", got)
			}
		})
	}
	fixture.Run(t, "an archive of many posts is paged", func(t *testing.T) {
		for i := range domain.ArchivePerPage + 2 {
			s.mustCopy(t, author, day(2010, 1, 1).Add(time.Duration(i)*time.Hour), nil)
		}
		first, second := read(t, 2010, 1), read(t, 2010, 2)
		if len(first.Posts.Items) != domain.ArchivePerPage || !first.Posts.More || len(second.Posts.Items) != 2 ||
			second.Posts.More {
			t.Errorf("the pages have %d and %d posts", len(first.Posts.Items), len(second.Posts.Items))
		}
	})
}

func idsOf(list []domain.Summary) (ids []string) {
	for _, s := range list {
		ids = append(ids, s.PostID)
	}
	return ids
}

func (s *suite) neighbours(t *testing.T) {
	author := s.MustUser(t)
	var posts []domain.Post
	for i := range 6 {
		posts = append(posts, s.mustCopy(t, author, fixture.At(i/3), nil)) // three have equal dates
		s.mustCopy(t, s.MustUser(t), fixture.At(i/3), nil)
	}
	hidden := s.mustCopy(t, author, fixture.At(0), func(sum *domain.Summary) { sum.Status = domain.Unlisted })
	slices.SortFunc(posts, func(a, b domain.Post) int {
		return domain.NewestFirst(domain.Summary{PostID: a.ID, Created: a.Created},
			domain.Summary{PostID: b.ID, Created: b.Created})
	})
	for i, post := range posts {
		previous, next, err := s.UserCopies.Neighbours(t.Context(), post)
		fixture.Check(t, err)
		for _, want := range []struct {
			what string
			got  *domain.Summary
			at   int
		}{{"the previous", previous, i + 1}, {"the next", next, i - 1}} {
			switch {
			case want.at < 0 || want.at == len(posts):
				if want.got != nil {
					t.Errorf("%s of post %d is %+v", want.what, i, *want.got)
				}
			case want.got == nil || want.got.PostID != posts[want.at].ID || want.got.Path() != posts[want.at].Path():
				t.Errorf("%s of post %d is %+v, want %+v", want.what, i, want.got, posts[want.at])
			}
		}
	}
	previous, next, err := s.UserCopies.Neighbours(t.Context(), hidden)
	if err != nil || previous == nil && next == nil {
		t.Errorf("an unlisted post has no neighbours, %v", err)
	}
}

func (s *suite) related(t *testing.T) {
	author := s.MustUser(t)
	rare, common, other := freshTag(), freshTag(), freshTag()
	add := func(minute int, names ...string) domain.Summary {
		sum := fixture.Summary(author, minute, 1)
		sum.Tags = domain.TagsOf(names)
		for _, key := range sum.Tags.Keys() {
			fixture.Check(t, s.Tags.ApplySummary(t.Context(), key, sum))
		}
		return sum
	}
	itself := add(0, rare, common)
	one := add(1, rare)
	old := add(2, common)
	both := add(3, common, rare)
	newest := add(4, common)
	add(5, other)
	for _, c := range []struct {
		name string
		tags []string
		want []domain.Summary
	}{
		{"those with most tags in common come first, then the newest", []string{rare, common},
			[]domain.Summary{both, newest, old, one}},
		{"one's spelling of a tag does not matter", []string{strings.ToUpper(rare)}, []domain.Summary{both, one}},
		{"none without tags", nil, nil},
		{"none of a tag that no other has", []string{freshTag()}, nil},
	} {
		fixture.Run(t, c.name, func(t *testing.T) {
			post := domain.Post{ID: itself.PostID, Tags: domain.TagsOf(c.tags)}
			newest := func(key string) ([]domain.Summary, error) { return s.Tags.Newest(t.Context(), key) }
			if got := fixture.Must[[]domain.Summary](t)(domain.Related(post, newest)); !slices.Equal(idsOf(got),
				idsOf(c.want)) {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
}
