package importing

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"inkfeed/domain"
	"inkfeed/domain/portable"
	"inkfeed/domain/siteinfo"
)

// profile imports the parts of the user's profile that are empty here. It reads the user again before each part,
// because the user may have changed the profile since the import began.
func (r *run) profile(ctx context.Context) error {
	p := r.blog.Rest.Profile
	if reflect.ValueOf(p).IsZero() {
		return nil
	}
	for _, part := range []func(context.Context, portable.Profile) error{
		r.displayName, r.profileTexts, r.avatar, r.header, r.pins} {
		if !r.DryRun {
			var user domain.User
			err := r.Try(ctx, func() (err error) { user, err = r.Users.ByID(ctx, r.User.ID); return err })
			if err != nil {
				return err
			}
			r.User = user
		}
		if err := part(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) displayName(ctx context.Context, p portable.Profile) error {
	if p.DisplayName == "" || r.User.DisplayName != "" {
		return nil
	}
	name, err := domain.CleanDisplayName(p.DisplayName)
	if err != nil {
		r.addBlogProblem("your display name was left out: %s", domain.Reason(err))
		return nil
	}
	if r.DryRun {
		return nil
	}
	r.wrote()
	// The projector updates the posts that were written before, as for any author.
	err = r.Try(ctx, func() error {
		_, err := r.Profiles.SetDisplayName(ctx, r.User.ID, name)
		return err
	})
	if err == nil {
		r.User.DisplayName = name // for the comments and likes, which are imported next
	}
	return err
}

// profileTexts imports what the user says about themselves and their blog.
func (r *run) profileTexts(ctx context.Context, p portable.Profile) error {
	wanted := r.User.Profile
	if wanted.Bio == "" {
		wanted.Bio = p.Bio
	}
	if wanted.BlogTitle == "" {
		wanted.BlogTitle = p.BlogTitle
	}
	if wanted.WritingLanguage == "" {
		wanted.WritingLanguage = p.WritingLanguage
	}
	if len(wanted.SetLinks()) == 0 {
		copy(wanted.Links[:], p.Links)
	}
	clean, err := domain.CleanProfile(wanted)
	if e, ok := err.(*domain.Error); ok {
		for _, field := range slices.Sorted(maps.Keys(e.Fields)) {
			reason := e.Fields[field]
			switch {
			case field == "bio":
				wanted.Bio = r.User.Bio
				r.addBlogProblem("your profile text was left out: %s", reason)
			case field == "blogTitle":
				wanted.BlogTitle = r.User.BlogTitle
				r.addBlogProblem("the title of your blog was left out: %s", reason)
			case field == "writingLanguage":
				wanted.WritingLanguage = r.User.WritingLanguage
				r.addBlogProblem("the language of your blog was left out: %s", reason)
			case strings.HasPrefix(field, "link"):
				r.addBlogProblem("the links of your profile were left out: %s", reason)
				wanted.Links = [domain.MaxProfileLinks]siteinfo.Link{}
			}
		}
		clean, err = domain.CleanProfile(wanted)
	}
	if err != nil || clean == r.User.Profile || r.DryRun {
		return err
	}
	r.wrote()
	return r.Try(ctx, func() error { return r.Profiles.SetProfile(ctx, r.User.ID, clean) })
}

func (r *run) avatar(ctx context.Context, p portable.Profile) error {
	if p.Avatar == "" || r.User.Avatar != "" || r.DryRun {
		return nil
	}
	content, err := r.blog.Files.Read(p.Avatar, portable.MaxImage)
	if err != nil {
		r.addBlogProblem("your profile picture was left out: %v", err)
		return nil
	}
	made, err := r.Maker.MakeAvatar(ctx, r.User.ID, content)
	if err == nil {
		_, err = r.storePicture(ctx, made, domain.Image{UserID: r.User.ID, Avatar: true})
	}
	if refused(err) {
		r.addBlogProblem("your profile picture was left out: %s", domain.Reason(err))
		return nil
	}
	if err != nil {
		return err
	}
	r.wrote()
	return r.Try(ctx, func() error { return r.Profiles.SetAvatar(ctx, r.User.ID, made.Name.String()) })
}

func (r *run) header(ctx context.Context, p portable.Profile) error {
	if p.Header == "" || r.User.Header.Exists() || r.DryRun {
		return nil
	}
	b := &importedPicture{}
	why, err := r.pictures.importFile(ctx, b, r.User.ID, p.Header, p.HeaderAlt)
	if err != nil {
		return err
	}
	name, ok := domain.ParseImagePath(b.path)
	if !why.IsZero() || !ok {
		r.addBlogProblem("the header picture of your blog was left out: %s", why)
		return nil
	}
	alt, err := domain.CleanAlt(p.HeaderAlt)
	if err != nil {
		alt = ""
	}
	r.wrote()
	err = r.Try(ctx, func() error { return r.Profiles.SetHeader(ctx, r.User.ID, domain.Cover{Image: name, Alt: alt}) })
	if refused(err) { // it is being deleted
		r.addBlogProblem("the header picture of your blog was left out: %s", domain.Reason(err))
		return nil
	}
	return err
}

// pins pins the posts that were pinned where the export comes from, unless posts are pinned here.
func (r *run) pins(ctx context.Context, p portable.Profile) error {
	if len(r.User.Pinned()) > 0 || r.DryRun {
		return nil
	}
	for _, id := range slices.Backward(p.Pins[:min(len(p.Pins), domain.MaxPins)]) { // the last one comes first
		post, ok, err := r.target(ctx, id)
		if err != nil {
			return err
		}
		if !ok || post.AuthorID != r.User.ID || !post.Listed() {
			continue
		}
		r.wrote()
		if err := r.Try(ctx, func() error { return r.Profiles.Pin(ctx, r.User.ID, post.ID, nil) }); err != nil {
			return err
		}
	}
	return nil
}
