package writing

import (
	"context"
	"time"
	_ "time/tzdata" // the zones of the authors are known on any machine

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// localTime is the format of a browser's date and time field. Some browsers add seconds.
const localTime = "2006-01-02T15:04"

// schedule saves the draft and schedules it for the time in the form.
func (h editor) schedule(ctx context.Context, author domain.User, t postForm) (to string, err error) {
	at, err := publishTime(t.publish, t.zone, time.Now())
	if err := domain.JoinErrors(h.checkPost(ctx, author, t), err); err != nil {
		return "", err
	}
	d, err := h.save(ctx, t)
	if err == nil && d.Version == 0 {
		err = domain.FieldError("publishDate", "This post is already published.")
	}
	if err != nil {
		return "", err
	}
	if err := h.addressScheduled(ctx, d); err != nil {
		return "", err
	}
	if _, err = h.store.Drafts.Schedule(ctx, d.AuthorID, d.PostID, d.Version, at); err == nil {
		h.recordPage(ctx, t.viewer, domain.AuditSchedulePage, d.PostID)
	}
	return editPath(d.PostID, doSchedule), err
}

// publishTime parses a local time in a zone; "" is UTC. Errors are about the field "publishDate".
func publishTime(local, zone string, now time.Time) (time.Time, error) {
	location, err := time.LoadLocation(zone)
	if err != nil || zone == "Local" { // "Local" would be the server's zone
		return time.Time{}, domain.FieldError("publishDate",
			"This time zone isn't supported. Reload the page and try again.")
	}
	at, err := time.Parse(localTime, local)
	if err != nil {
		at, err = time.Parse(localTime+":05", local)
	}
	at = domain.FromLocal(at, location)
	switch {
	case local == "":
		return time.Time{}, domain.FieldError("publishDate", "Choose a date and a time.")
	case err != nil:
		return time.Time{}, domain.FieldError("publishDate",
			"Enter a date and time like this: {example}", "example", now.UTC().AddDate(0, 0, 1).Format(localTime))
	case !at.After(now):
		return time.Time{}, domain.FieldError("publishDate",
			"Choose a time in the future. It is now {time} on {date} ({zone}).", "time", clock(now.In(location)),
			"date", now.In(location), "zone", location.String())
	}
	if domain.IsDate(at) {
		at = at.Add(time.Millisecond) // its time of day matters
	}
	return at, nil
}

// clock formats the time of day, as locale.Clock does.
func clock(t time.Time) locale.Message {
	return locale.M("{hour}:{minute}", "hour", t.Format("15"), "minute", t.Format("04"))
}
