package portable

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// endings are the files with one name, sorted by their paths from the end, so that those with the longest common end
// stand beside each other.
type endings []ending

type ending struct{ key, file string }

// endingsOf returns the endings of the images that have a name in common, by the name.
func endingsOf(f *Files) map[string]endings {
	all := make(map[string]endings)
	if f == nil {
		return all
	}
	for name, files := range f.ByName {
		if !IsImage(name) {
			continue
		}
		list := make(endings, len(files))
		for i, file := range files {
			list[i] = ending{endingKey(file), file}
		}
		slices.SortFunc(list, func(a, b ending) int { return cmp.Compare(a.key, b.key) })
		all[name] = list
	}
	return all
}

// endingKey returns the segments of a path in lower case and in reverse order.
func endingKey(name string) string {
	segments := strings.Split(strings.ToLower(strings.Trim(name, "/")), "/")
	slices.Reverse(segments)
	return strings.Join(segments, "\x00") + "\x00"
}

// closest returns the file whose path shares the longest end with name. It returns false if several files share it.
func (e endings) closest(name string) (string, bool) {
	if len(e) == 1 {
		return e[0].file, true
	}
	at, _ := slices.BinarySearchFunc(e, endingKey(name), func(a ending, key string) int {
		return cmp.Compare(a.key, key)
	})
	best, length, ties := "", 0, 0
	for _, candidate := range e[max(0, at-2):min(len(e), at+2)] {
		switch n := CommonEnd(candidate.file, name); {
		case n > length:
			best, length, ties = candidate.file, n, 1
		case n == length:
			ties++
		}
	}
	return best, ties == 1
}

// closest returns the image of the export whose path shares the longest end with name: see endings.
func (d *Directory) closest(name string) (string, bool) {
	return d.images[strings.ToLower(path.Base(name))].closest(name)
}
