// Package imports stores what imports need: a record of each imported post, the jobs of imports in the browser,
// and the redirects from former addresses.
package imports
