package schema

import (
	"encoding/json"
	"time"

	"inkfeed/domain"
)

// Instant is a time as items hold it: UTC with milliseconds, of a fixed width,
// so that the order of the texts is the order of the times.
type Instant time.Time

const InstantLayout = "2006-01-02T15:04:05.000Z"

func (i Instant) MarshalText() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, InstantLayout), nil
}

func (i *Instant) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	*i = Instant(t.UTC())
	return err
}

// Optional is a time that may be zero, as items hold it: not at all.
func Optional(t time.Time) *Instant {
	if t.IsZero() {
		return nil
	}
	i := Instant(t)
	return &i
}

// Time is what optional was given.
func (i *Instant) Time() time.Time {
	if i == nil {
		return time.Time{}
	}
	return time.Time(*i)
}

// TagNames are a post's tags as items hold them: an array, of none an empty one.
type TagNames []string

func (n TagNames) Domain() domain.Tags { return domain.TagsOf(n) }

func (n TagNames) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(n))
}

// CopyType is the type of a copy in users, which tells what lists it stands in.
func CopyType(s domain.Status) string {
	switch s {
	case domain.Unlisted:
		return TypeUnlistedPost
	case domain.Unpublished:
		return TypeUnpublishedPost
	case domain.Hidden:
		return TypeHiddenPost
	}
	return TypePost
}

func StatusOfCopy(copyType string) domain.Status {
	switch copyType {
	case TypeUnlistedPost:
		return domain.Unlisted
	case TypeUnpublishedPost:
		return domain.Unpublished
	case TypeHiddenPost:
		return domain.Hidden
	}
	return domain.Published
}

const TombstoneTTL = int(domain.TombstoneTime / time.Second)

const Forever = -1

// ClockMargin is by how much the clocks of two servers may differ. A leftover that stays
// does no harm; a text that its author goes on with would be lost.
const ClockMargin = time.Minute
