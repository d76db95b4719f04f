// The octets of the files, taken in by the compiler.

#include "CLessonCode.h"

// The directive is C23's; compilers have it in earlier languages, too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t asker[] = {
#embed "../Lessons/Code/Asker.swift"
};

static const uint8_t background[] = {
#embed "../Lessons/Code/Background.swift"
};

static const uint8_t ball[] = {
#embed "../Lessons/Code/Ball.swift"
};

static const uint8_t ball_finder[] = {
#embed "../Lessons/Code/BallFinder.swift"
};

static const uint8_t confirmed_delivery[] = {
#embed "../Lessons/Code/ConfirmedDelivery.swift"
};

static const uint8_t lock[] = {
#embed "../Lessons/Code/Lock.swift"
};

static const uint8_t magic_ball[] = {
#embed "../Lessons/Code/MagicBall.swift"
};

static const uint8_t many_devices[] = {
#embed "../Lessons/Code/ManyDevices.swift"
};

static const uint8_t messages[] = {
#embed "../Lessons/Code/Messages.swift"
};

static const uint8_t pairing[] = {
#embed "../Lessons/Code/Pairing.swift"
};

static const uint8_t restoration[] = {
#embed "../Lessons/Code/Restoration.swift"
};

static const struct lesson_file files[] = {
    {"Asker.swift", asker, sizeof asker},
    {"Background.swift", background, sizeof background},
    {"Ball.swift", ball, sizeof ball},
    {"BallFinder.swift", ball_finder, sizeof ball_finder},
    {"ConfirmedDelivery.swift", confirmed_delivery, sizeof confirmed_delivery},
    {"Lock.swift", lock, sizeof lock},
    {"MagicBall.swift", magic_ball, sizeof magic_ball},
    {"ManyDevices.swift", many_devices, sizeof many_devices},
    {"Messages.swift", messages, sizeof messages},
    {"Pairing.swift", pairing, sizeof pairing},
    {"Restoration.swift", restoration, sizeof restoration},
};

const struct lesson_file *lesson_file(size_t number) {
    return number < sizeof files / sizeof files[0] ? &files[number] : NULL;
}
