package schema

import (
	"encoding/json"
	"time"

	"inkfeed/domain"
)

// Instant is a time in an item: UTC with milliseconds, in a fixed width, so that the texts sort as
// the times do.
type Instant time.Time

// InstantLayout is the layout of an Instant for [time.Parse].
const InstantLayout = "2006-01-02T15:04:05.000Z"

// MarshalText writes the time in InstantLayout.
func (i Instant) MarshalText() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, InstantLayout), nil
}

// UnmarshalText reads a time in RFC 3339.
func (i *Instant) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	*i = Instant(t.UTC())
	return err
}

// Optional returns a pointer to a time, and nil for the zero time, which items omit.
func Optional(t time.Time) *Instant {
	if t.IsZero() {
		return nil
	}
	i := Instant(t)
	return &i
}

// Time returns the time, and the zero time for nil. It is the inverse of [Optional].
func (i *Instant) Time() time.Time {
	if i == nil {
		return time.Time{}
	}
	return time.Time(*i)
}

// TagNames are a post's tags in an item: an array, which is empty if there are none.
type TagNames []string

// Domain returns the tags as domain values.
func (n TagNames) Domain() domain.Tags { return domain.TagsOf(n) }

// MarshalJSON writes an array, also for nil.
func (n TagNames) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(n))
}

// CopyType returns the type of the copy in users of a post with a status. The type determines the
// lists that have the post. A status that is not known, such as one of a later release, counts as unpublished.
func CopyType(s domain.Status) string {
	switch s {
	case domain.Published:
		return TypePost
	case domain.Unlisted:
		return TypeUnlistedPost
	case domain.Hidden:
		return TypeHiddenPost
	case domain.Trashed:
		return TypeTrashedPost
	}
	return TypeUnpublishedPost
}

// StatusOfCopy returns the status of a post by the type of its copy. It is the inverse of [CopyType].
func StatusOfCopy(copyType string) domain.Status {
	switch copyType {
	case TypeUnlistedPost:
		return domain.Unlisted
	case TypeUnpublishedPost:
		return domain.Unpublished
	case TypeHiddenPost:
		return domain.Hidden
	case TypeTrashedPost:
		return domain.Trashed
	}
	return domain.Published
}

// TombstoneTTL is the time to live of a tombstone in seconds.
const TombstoneTTL = int(domain.TombstoneTime / time.Second)

// Forever is the time to live of an item that does not expire.
const Forever = -1

// ClockMargin is the maximum difference that is assumed between the clocks of two servers. It is
// generous: a leftover draft does no harm, but a draft deleted by mistake is lost.
const ClockMargin = time.Minute

// TTLUntil returns the time to live of an item that is written now and expires at a time. It is at least one second.
func TTLUntil(at time.Time) int { return max(1, int(time.Until(at).Seconds())) }

// NextVersion returns a version that is higher than version and at least the time in milliseconds. It is therefore also
// higher than the version of a marker that has expired.
func NextVersion(version int64, now time.Time) int64 { return max(version+1, now.UnixMilli()) }

// HeldInTrash is the hold of a post in the trash that is not held otherwise. Instances of an earlier release do not
// know the date in the trash, and hide a post for any hold.
const HeldInTrash domain.Hold = "trash"
