package cosmos

import (
	"encoding/json"
	"time"

	"inkfeed/domain"
)

// instant is a time as items hold it: UTC with milliseconds, of a fixed width,
// so that the order of the texts is the order of the times.
type instant time.Time

const instantLayout = "2006-01-02T15:04:05.000Z"

func (i instant) MarshalText() ([]byte, error) {
	return time.Time(i).UTC().AppendFormat(nil, instantLayout), nil
}

func (i *instant) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.RFC3339, string(text))
	*i = instant(t.UTC())
	return err
}

// optional is a time that may be zero, as items hold it: not at all.
func optional(t time.Time) *instant {
	if t.IsZero() {
		return nil
	}
	i := instant(t)
	return &i
}

// time is what optional was given.
func (i *instant) time() time.Time {
	if i == nil {
		return time.Time{}
	}
	return time.Time(*i)
}

// tagNames are a post's tags as items hold them: an array, of none an empty one.
type tagNames []string

func (n tagNames) domain() domain.Tags { return domain.TagsOf(n) }

func (n tagNames) MarshalJSON() ([]byte, error) {
	if n == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]string(n))
}

// copyType is the type of a copy in users, which tells what lists it stands in.
func copyType(s domain.Status) string {
	switch s {
	case domain.Unlisted:
		return typeUnlistedPost
	case domain.Unpublished:
		return typeUnpublishedPost
	case domain.Hidden:
		return typeHiddenPost
	}
	return typePost
}

func statusOfCopy(copyType string) domain.Status {
	switch copyType {
	case typeUnlistedPost:
		return domain.Unlisted
	case typeUnpublishedPost:
		return domain.Unpublished
	case typeHiddenPost:
		return domain.Hidden
	}
	return domain.Published
}

const tombstoneTTL = int(domain.TombstoneTime / time.Second)

const forever = -1

// clockMargin is by how much the clocks of two servers may differ. A leftover that stays
// does no harm; a text that its author goes on with would be lost.
const clockMargin = time.Minute
