// The octets of the files, taken in by the compiler.

#include "CEightBallPage.h"

// The directive is C23's; compilers have it in earlier languages, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t page[] = {
#embed "page.html"
};

static const uint8_t style[] = {
#embed "page.css"
};

static const uint8_t script[] = {
#embed "page.js"
};

static const uint8_t icon[] = {
#embed "icon.svg"
};

struct eight_ball_file eight_ball_page(void) { return (struct eight_ball_file){page, sizeof page}; }

struct eight_ball_file eight_ball_style(void) { return (struct eight_ball_file){style, sizeof style}; }

struct eight_ball_file eight_ball_script(void) { return (struct eight_ball_file){script, sizeof script}; }

struct eight_ball_file eight_ball_icon(void) { return (struct eight_ball_file){icon, sizeof icon}; }
