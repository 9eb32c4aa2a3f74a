package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/domain/importing"
	"inkfeed/domain/names"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/portable"
	"inkfeed/web/credential"
)

// authorFlags are the flags that assign the authors of a blog to users.
type authorFlags struct {
	file   string
	create bool
	url    string // of the site
}

// users finds the users who get the posts of a blog: owners maps authors to users, and user gets the rest.
// Without a map of authors, the user named by --as gets everything.
func (f authorFlags) users(
	ctx context.Context, store *cosmos.Store, blog *portable.Blog, as string, dryRun bool, w io.Writer,
) (user domain.User, owners map[string]domain.User, err error) {
	if as != "" {
		if user, err = userNamed(ctx, store, as); err != nil {
			return user, nil, fmt.Errorf("--as: %w", err)
		}
	}
	if f.file == "" {
		return user, nil, nil
	}
	text, err := os.ReadFile(f.file)
	missing := errors.Is(err, os.ErrNotExist)
	if err != nil && !missing {
		return user, nil, fmt.Errorf("--authors: %w", err)
	}
	m, err := importing.ParseAuthorMap(text)
	if err != nil {
		return user, nil, fmt.Errorf("--authors: %s: %w", f.file, err)
	}
	authors := blog.Authors()
	unknown := m.Unknown(authors)
	if len(unknown) > 0 && !f.create {
		what := plaintext.Count(len(unknown), "author has", "authors have") + " no user"
		if missing {
			what = "the file does not exist yet"
		}
		return user, nil, fmt.Errorf("--authors: %s: %s. Fill in the usernames, or use --create-authors:\n\n%s",
			f.file, what, m.Template(authors))
	}
	if owners, err = f.accounts(ctx, store, unknown, dryRun, w); err != nil {
		return user, nil, err
	}
	if username, ok := m.Default(); ok && as == "" {
		if user, err = userNamed(ctx, store, username); err != nil {
			return user, nil, fmt.Errorf("--authors: %s: %w", f.file, err)
		}
	}
	for _, a := range authors {
		username, ok := m.User(a)
		switch {
		case a.ID == "" && user.ID == "":
			return user, nil, fmt.Errorf("--authors: %s: %s no known author: name a user for them with --as, or in "+
				"the entry %q", f.file, plaintext.Count(a.Posts, "post has", "posts have"), "*")
		case ok && a.ID != "":
			if owners[a.ID], err = userNamed(ctx, store, username); err != nil {
				return user, nil, fmt.Errorf("--authors: %s: %w", f.file, err)
			}
		}
		if user.ID == "" {
			user = owners[a.ID] // the importer needs a user; this one gets no further posts
		}
	}
	return user, owners, nil
}

func userNamed(ctx context.Context, store *cosmos.Store, name string) (domain.User, error) {
	user, err := store.Users.ByName(ctx, name)
	if domain.Is(err, domain.NotFound) || err == nil && names.NameKey(user.Username) != names.NameKey(name) {
		return user, fmt.Errorf("there is no user %q: sign up first", name)
	}
	return user, err
}

// invitedFor is how long the authors of an import have to choose a password.
const invitedFor = 30 * 24 * time.Hour

// accounts creates an account for each of the authors. It adds each account to the map of authors before
// it creates the next, so that a repeated import finds them.
func (f authorFlags) accounts(
	ctx context.Context, store *cosmos.Store, authors []portable.Author, dryRun bool, w io.Writer,
) (made map[string]domain.User, err error) {
	made = make(map[string]domain.User)
	taken := make(map[string]bool)
	for _, a := range authors {
		u, err := importing.NewAccount(a, time.Now())
		if err == nil {
			_, err = store.Users.AccountByName(ctx, u.Username)
			found := err == nil || taken[names.NameKey(u.Username)]
			if domain.Is(err, domain.NotFound) {
				err = nil
			}
			if found {
				err = fmt.Errorf("the username %s is taken", u.Username)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("--create-authors: %q: %s: write a username into %s", a.ID, plainly(err), f.file)
		}
		taken[names.NameKey(u.Username)] = true
		u.Trusted = true // the operator imports and so vouches for these posts
		made[a.ID] = u
	}
	if dryRun || len(authors) == 0 {
		return made, nil
	}
	fmt.Fprintf(w, "Send each author the link to choose a password. It works once, within %d days:\n",
		invitedFor/(24*time.Hour))
	for _, a := range authors {
		u := made[a.ID]
		if err := store.Accounts.CreateWith(ctx, u, domain.Credentials{}); err != nil {
			return nil, fmt.Errorf("--create-authors: %q: %s", a.ID, plainly(err))
		}
		if err := f.remember(a.ID, u.Username); err != nil {
			return nil, fmt.Errorf("--authors: the account %s was created, but could not be added to the file: %w",
				u.Username, err)
		}
		link, err := invite(ctx, store, u)
		if err != nil { // a repeated import finds the account in the map, so it makes no link
			return nil, fmt.Errorf("--create-authors: the account %[1]s was created, but no link to choose its "+
				"password: %[2]w; set a password with inkfeed user password %[1]s", u.Username, err)
		}
		fmt.Fprintf(w, "  %s (%s): %s\n", u.Username, a.ID, f.url+link)
	}
	return made, nil
}

// invite returns the link with which the owner of a new account chooses its password, without scheme and host.
func invite(ctx context.Context, store *cosmos.Store, u domain.User) (link string, err error) {
	invited := domain.NewAuditEntry(domain.User{}, domain.AuditInvite, time.Now()).About(u)
	if err := store.Audit.Record(ctx, invited); err != nil {
		return "", err
	}
	credentials, err := store.Credentials.Get(ctx, u.ID)
	if err != nil {
		return "", err
	}
	return credential.PasswordLink(ctx, store.Secrets, u.ID, credentials.Version, invitedFor)
}

// remember adds an author to the map.
func (f authorFlags) remember(author, username string) error {
	file, err := os.OpenFile(f.file, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	line := importing.Entry(author, username) + "\n"
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	_, err = file.WriteString(line)
	return errors.Join(err, file.Sync(), file.Close())
}
