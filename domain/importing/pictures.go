package importing

import (
	"context"
	"errors"
	"sync"

	"inkfeed/domain"
	"inkfeed/domain/picture"
	"inkfeed/domain/portable"
)

// pictures are those of the export that were brought over, by the names of their files.
type pictures struct {
	run  *run
	mu   sync.Mutex
	done map[string]*brought
}

type brought struct {
	once sync.Once
	path string // empty: it could not be
	made bool   // by this import: it was not there
	why  string
	err  error // that ends the import
}

// made is how many were brought over that were not there.
func (p *pictures) made() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.done {
		if b.made {
			n++
		}
	}
	return n
}

// add brings a picture over, once, and gives its address here. It is empty when the
// picture cannot be one here, which the report of post n says.
func (p *pictures) add(ctx context.Context, n int, name, alt string) (string, error) {
	p.mu.Lock()
	if p.done == nil {
		p.done = make(map[string]*brought)
	}
	b := p.done[name]
	if b == nil {
		b = &brought{}
		p.done[name] = b
	}
	p.mu.Unlock()
	b.once.Do(func() { b.why, b.err = p.bring(ctx, b, name, alt) })
	if b.why != "" {
		p.run.tell(n, "the picture %s was left out: %s", name, b.why)
	}
	return b.path, b.err
}

// bring puts a picture where uploads go: its record first, then its files.
func (p *pictures) bring(ctx context.Context, b *brought, name, alt string) (why string, err error) {
	r := p.run
	content, err := r.blog.Files.Read(name, portable.MaxImage)
	if err != nil {
		return err.Error(), nil
	}
	if kept, ok := picture.NameOf(r.User.ID, content); ok { // it was exported from here
		if there, err := r.has(ctx, kept); err != nil || there {
			b.path = kept.Path()
			return "", err
		}
	}
	made, err := r.Maker.Make(ctx, r.User.ID, content)
	if refused(err) {
		return domain.Reason(err), nil
	}
	if err != nil {
		return "", err
	}
	if r.DryRun {
		there, err := r.has(ctx, made.Name)
		b.path, b.made = made.Name.Path(), !there
		return "", err
	}
	if alt, err = domain.CleanAlt(domain.Truncate(alt, domain.MaxAlt)); err != nil {
		alt = ""
	}
	written, err := r.keep(ctx, made, domain.Image{Alt: alt})
	if refused(err) {
		return domain.Reason(err), nil
	}
	b.path, b.made = made.Name.Path(), written
	return "", err
}

// has tells whether a picture of the user's is there, wholly.
func (r *run) has(ctx context.Context, name domain.ImageName) (bool, error) {
	var image domain.Image
	err := r.Try(ctx, func() (err error) { image, err = r.Images.Get(ctx, r.User.ID, name); return err })
	if domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return err == nil && !image.Incomplete, err
}

// keep writes a picture's record, its files and that they are there, unless they are.
func (r *run) keep(ctx context.Context, made picture.Picture, as domain.Image) (written bool, err error) {
	as.Name, as.UserID, as.Bytes, as.Created, as.Import = made.Name, r.User.ID, made.Bytes(), domain.Timestamp(r.Now), r.Job
	var image domain.Image
	err = r.Try(ctx, func() (err error) { image, err = r.Images.Begin(ctx, as); return err })
	if err != nil || !image.Incomplete {
		return false, err
	}
	owner := func() error { return r.Files.Put(ctx, made.Name.OwnerFile(), []byte(r.User.ID)) }
	if err := r.Try(ctx, owner); err != nil {
		return false, err
	}
	for _, file := range made.Files {
		if err := r.Try(ctx, func() error { return r.Files.Put(ctx, file.Name, file.Content) }); err != nil {
			return false, err
		}
	}
	return true, r.Try(ctx, func() error { return r.Images.Complete(ctx, r.User.ID, made.Name) })
}

// profile brings over what the user says of themselves, where there is nothing here.
func (r *run) profile(ctx context.Context) error {
	p := r.blog.Rest.Profile
	if p.DisplayName != "" && r.User.DisplayName == "" {
		name, err := domain.CleanDisplayName(p.DisplayName)
		if err != nil {
			r.whole("your display name was left out: %s", domain.Reason(err))
		} else if !r.DryRun {
			// The posts that were written before are told of it like those of any author.
			if err := r.Try(ctx, func() error { _, err := r.Users.SetDisplayName(ctx, r.User.ID, name); return err }); err != nil {
				return err
			}
			r.User.DisplayName = name // of the comments and likes to come
		}
	}
	if p.Bio != "" && r.User.Bio == "" {
		bio, err := domain.CleanBio(p.Bio)
		if err != nil {
			r.whole("the words about yourself were left out: %s", domain.Reason(err))
		} else if !r.DryRun {
			if err := r.Try(ctx, func() error { return r.Users.SetProfile(ctx, r.User.ID, bio) }); err != nil {
				return err
			}
		}
	}
	if p.Avatar == "" || r.User.Avatar != "" || r.DryRun {
		return nil
	}
	content, err := r.blog.Files.Read(p.Avatar, portable.MaxImage)
	if err != nil {
		r.whole("your picture was left out: %v", err)
		return nil
	}
	made, err := r.Maker.MakeAvatar(ctx, r.User.ID, content)
	if err == nil {
		_, err = r.keep(ctx, made, domain.Image{Avatar: true})
	}
	if refused(err) {
		r.whole("your picture was left out: %s", domain.Reason(err))
		return nil
	}
	if err != nil {
		return err
	}
	return r.Try(ctx, func() error { return r.Users.SetAvatar(ctx, r.User.ID, made.Name.String()) })
}

// refused tells whether an error is about the picture.
func refused(err error) bool {
	return domain.Is(err, domain.Invalid) || domain.Is(err, domain.TooLarge) || errors.Is(err, picture.ErrFormat)
}
