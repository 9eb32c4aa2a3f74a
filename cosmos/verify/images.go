package verify

import (
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// storedUsage is what a user item counts.
type storedUsage struct {
	ImageCount int   `json:"imageCount"`
	ImageBytes int64 `json:"imageBytes"`
	DraftCount int   `json:"draftCount"`
	DraftBytes int64 `json:"draftBytes"`
}

// auditedUsage counts pictures, including avatars, or drafts.
type auditedUsage struct {
	count int
	bytes int64
}

func (a *audit) noteImage(subject string, i storedItem) {
	if i.ID != schema.ImageID(i.Name) {
		a.violation(ruleIDs, subject, "a picture's id follows from its name, %q", i.Name)
		return
	}
	if _, ok := domain.ParseImageName(i.Name); !ok {
		a.violation(ruleShapes, subject, "%q names no picture", i.Name)
	}
	a.checkStays(subject, i) // its files do not expire
	u := a.user(i.UserID)
	u.images.count++
	u.images.bytes += i.Bytes
	if i.Type == schema.TypeAvatar {
		if u.avatars == nil {
			u.avatars = make(map[string]bool)
		}
		u.avatars[i.Name] = true
		return
	}
	if u.pictures == nil {
		u.pictures = make(map[string]bool)
	}
	u.pictures[i.Name] = true
}

// checkImages checks a user's count of pictures, the avatar and the header. Incomplete pictures are sound, since their
// owner sees them and can delete them.
func (a *audit) checkImages(subject string, u *auditedUser) {
	if u.counted != u.images {
		a.violation(ruleCounts, subject, "%d pictures of %d bytes are counted, there are %d of %d",
			u.counted.count, u.counted.bytes, u.images.count, u.images.bytes)
	}
	if u.avatar != "" && !u.avatars[u.avatar] {
		a.violation(ruleAvatars, subject, "there is no record of %s", u.avatar)
	}
	if u.header != "" && !u.pictures[u.header] {
		a.violation(ruleAvatars, subject, "there is no record of the header %s", u.header)
	}
}
