package web_test

import (
	"cmp"
	"context"
	"slices"
	"time"

	"inkfeed/domain"
)

// fakeDrafts keeps drafts by the rules of the real store.
type fakeDrafts struct{ *fake }

func draftKey(userID, postID string) string { return userID + " " + postID }

var errDraftMissing = domain.Errorf(domain.NotFound, "There is no such draft.")

var errDraftChanged = domain.Errorf(domain.Conflict, "The draft was changed in another tab or on another device.")

func (f fakeDrafts) Save(_ context.Context, d domain.Draft) (domain.Draft, error) {
	leave, err := f.enter("Save")
	defer leave()
	if err != nil {
		return domain.Draft{}, err
	}
	return f.save(d)
}

func (f *fake) save(d domain.Draft) (domain.Draft, error) {
	if err := domain.CheckDraft(d); err != nil {
		return domain.Draft{}, err
	}
	key := draftKey(d.AuthorID, d.PostID)
	stored, there := f.drafts[key]
	switch {
	case !there && d.Version > 0:
		return domain.Draft{}, errDraftMissing
	case !there:
		if d.Begun.IsZero() {
			d.Begun = time.Now()
		}
		d.Publish, d.Preview = time.Time{}, ""
	case stored.Version != d.Version && stored.SameText(d):
		return stored, nil
	case stored.Version != d.Version:
		return domain.Draft{}, errDraftChanged
	default:
		d.Begun, d.Publish, d.Preview = stored.Begun, stored.Publish, stored.Preview
	}
	d.Version, d.Saved, d.Problem = stored.Version+1, domain.Timestamp(time.Now()), ""
	f.drafts[key] = d
	return d, nil
}

func (f fakeDrafts) Get(_ context.Context, userID, postID string) (domain.Draft, error) {
	leave, err := f.enter("Drafts.Get")
	defer leave()
	d, there := f.drafts[draftKey(userID, postID)]
	if err == nil && !there {
		err = errDraftMissing
	}
	return d, err
}

func (f fakeDrafts) List(_ context.Context, userID string, page int) (domain.Page[domain.Draft], error) {
	leave, err := f.enter("List")
	defer leave()
	var all []domain.Draft
	for _, d := range f.drafts {
		if d.AuthorID == userID {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b domain.Draft) int { return cmp.Or(b.Saved.Compare(a.Saved), cmp.Compare(b.PostID, a.PostID)) })
	return cut(all, page, domain.DraftsPerPage), err
}

func (f fakeDrafts) Open(_ context.Context, userID, postID string) (domain.Draft, *domain.Post, error) {
	leave, err := f.enter("Open")
	defer leave()
	if err != nil {
		return domain.Draft{}, nil, err
	}
	d, drafted := f.drafts[draftKey(userID, postID)]
	p, there := f.posts[postID]
	there = there && p.AuthorID == userID
	switch {
	case !there && !drafted:
		return domain.Draft{}, nil, errMissing
	case !there:
		return d, nil, nil
	case drafted && !d.Leftover(p):
		return d, &p, nil
	}
	delete(f.drafts, draftKey(userID, postID))
	return domain.DraftOf(p, time.Now()), &p, nil
}

func (f fakeDrafts) Discard(_ context.Context, userID, postID string, version int) error {
	leave, err := f.enter("Discard")
	defer leave()
	d, there := f.drafts[draftKey(userID, postID)]
	switch {
	case err != nil || !there:
		return err
	case d.Version != version:
		return errDraftChanged
	}
	if p, there := f.posts[postID]; there && p.Status == domain.Unpublished {
		reset := domain.DraftOf(p, time.Now())
		reset.Version, reset.Status, reset.Preview = d.Version+1, d.Status, d.Preview
		f.drafts[draftKey(userID, postID)] = reset
		return nil
	}
	delete(f.drafts, draftKey(userID, postID))
	return nil
}

func (f fakeDrafts) Publish(ctx context.Context, author domain.User, d domain.Draft, now time.Time) (domain.Post, error) {
	leave, err := f.enter("Publish")
	key := draftKey(author.ID, d.PostID)
	d.AuthorID = author.ID
	stored, drafted := f.drafts[key]
	leave()
	if err != nil {
		return domain.Post{}, err
	}
	made, err := d.Post(author, now)
	if err != nil {
		return domain.Post{}, err
	}
	if drafted && stored.Version != d.Version && !stored.SameText(d) {
		return domain.Post{}, errDraftChanged
	}
	posts := fakePosts(f)
	if d.Revision > 0 {
		var edit domain.Edit
		if edit, err = d.Edit(now); err == nil {
			made, err = posts.Edit(ctx, edit, author.ID)
		}
	} else if err = posts.Create(ctx, made); err == nil {
		made, err = posts.Own(ctx, made.ID, author.ID)
	}
	if err == nil {
		f.mu.Lock()
		delete(f.drafts, key)
		f.mu.Unlock()
	}
	return made, err
}

func (f fakeDrafts) Unpublish(_ context.Context, userID, postID string) (domain.Draft, error) {
	leave, err := f.enter("Unpublish")
	defer leave()
	p, there := f.posts[postID]
	if err != nil || !there || p.AuthorID != userID {
		if err == nil {
			err = errMissing
		}
		return domain.Draft{}, err
	}
	d, err := f.save(domain.DraftOf(p, time.Now()))
	if domain.Is(err, domain.Conflict) {
		d, err = f.drafts[draftKey(userID, postID)], nil
	}
	p.Status = domain.Unpublished
	f.posts[postID] = p
	return d, err
}

func (f fakeDrafts) Schedule(_ context.Context, userID, postID string, version int, at time.Time) (domain.Draft, error) {
	leave, err := f.enter("Schedule")
	defer leave()
	d, there := f.drafts[draftKey(userID, postID)]
	switch {
	case err != nil:
		return domain.Draft{}, err
	case !there:
		return domain.Draft{}, errDraftMissing
	case d.Version != version:
		return domain.Draft{}, errDraftChanged
	}
	d.Publish = at
	f.drafts[draftKey(userID, postID)] = d
	return d, nil
}

func (f fakeDrafts) Unschedule(_ context.Context, userID, postID string) (domain.Draft, error) {
	return f.changed("Unschedule", userID, postID, func(d *domain.Draft) { d.Publish = time.Time{} })
}

func (f fakeDrafts) Share(_ context.Context, userID, postID string) (string, error) {
	d, err := f.changed("Share", userID, postID, func(d *domain.Draft) { d.Preview = cmp.Or(d.Preview, domain.NewID()) })
	return d.Preview, err
}

func (f fakeDrafts) Unshare(_ context.Context, userID, postID string) error {
	_, err := f.changed("Unshare", userID, postID, func(d *domain.Draft) { d.Preview = "" })
	return err
}

func (f *fake) changed(method, userID, postID string, change func(*domain.Draft)) (domain.Draft, error) {
	leave, err := f.enter(method)
	defer leave()
	d, there := f.drafts[draftKey(userID, postID)]
	if err == nil && !there {
		err = errDraftMissing
	}
	if err != nil {
		return domain.Draft{}, err
	}
	change(&d)
	f.drafts[draftKey(userID, postID)] = d
	return d, nil
}

func (f fakeDrafts) Shared(_ context.Context, secret string) (domain.Shared, error) {
	leave, err := f.enter("Shared")
	defer leave()
	if err != nil {
		return domain.Shared{}, err
	}
	for _, d := range f.drafts {
		if d.Preview == secret {
			return domain.Shared{Draft: d, Author: f.users[d.AuthorID]}, nil
		}
	}
	return domain.Shared{}, errMissing
}

func (f fakePosts) Own(_ context.Context, id, userID string) (domain.Post, error) {
	leave, err := f.enter("Own")
	defer leave()
	p, there := f.posts[id]
	if err == nil && (!there || p.AuthorID != userID) {
		return domain.Post{}, errMissing
	}
	return p, err
}

func (f *fake) keepVersion(p domain.Post) {
	f.versions[p.ID] = append(f.versions[p.ID], p.Replaced())
}

func (f fakePosts) Versions(_ context.Context, id string, page int) (domain.Page[domain.PostVersion], error) {
	leave, err := f.enter("Versions")
	defer leave()
	newest := slices.Clone(f.versions[id])
	slices.Reverse(newest)
	return cut(newest, page, domain.VersionsPerPage), err
}

func (f fakePosts) Version(_ context.Context, id string, revision int) (domain.PostVersion, error) {
	leave, err := f.enter("Version")
	defer leave()
	for _, v := range f.versions[id] {
		if err == nil && v.Revision == revision {
			return v, nil
		}
	}
	if err == nil {
		err = errMissing
	}
	return domain.PostVersion{}, err
}

func (f fakeUsers) UnlistedOf(_ context.Context, userID string, page int) (domain.Page[domain.Summary], error) {
	leave, err := f.enter("UnlistedOf")
	defer leave()
	var all []domain.Summary
	for _, p := range f.posts {
		if p.AuthorID == userID && (p.Standing() == domain.Unlisted || p.Standing() == domain.Hidden) {
			all = append(all, f.summary(p))
		}
	}
	slices.SortFunc(all, domain.NewestFirst)
	return cut(all, page, domain.PostsPerPage), err
}

func (f fakeUsers) Statuses(_ context.Context, userID string, postIDs []string) (map[string]domain.Status, error) {
	leave, err := f.enter("Statuses")
	defer leave()
	statuses := map[string]domain.Status{}
	for _, id := range postIDs {
		if p, there := f.posts[id]; there && p.AuthorID == userID {
			statuses[id] = p.Standing()
		}
	}
	return statuses, err
}
