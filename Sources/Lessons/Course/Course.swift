// The lessons in order: first the 8-ball, then what a messenger and a lock need beyond it.

/// The course.
package enum Course {
    /// All lessons, in order.
    package static let lessons: [Lesson] = [
        .central, .delegates, .peripheral, .delivery, .errors, .devices, .messages, .background, .restoration, .lock,
        .pairing,
    ]

    /// The lesson with a number or a name.
    package static func lesson(_ name: String) -> Lesson? {
        lessons.first { "\($0.number)" == name || $0.key == name.lowercased() }
    }
}
