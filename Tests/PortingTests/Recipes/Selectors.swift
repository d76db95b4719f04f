// The recipe "@objc, selectors" of the page "Porting an app".

import Foundation

extension Notification.Name {
    static let sensorWasLost = Notification.Name("sensorWasLost")
}

final class SensorStatus: @unchecked Sendable {
    // Unchecked: used on the main queue alone.
    private(set) var losses = 0
    private var observer: (any NSObjectProtocol)?

    init() {
        // On Apple's platforms: addObserver(self, selector: #selector(sensorWasLost), name: .sensorWasLost, object: nil)
        self.observer = NotificationCenter.default.addObserver(forName: .sensorWasLost, object: nil, queue: nil) {
            [weak self] _ in self?.sensorWasLost()
        }
    }

    deinit { self.observer.map(NotificationCenter.default.removeObserver) }

    private func sensorWasLost() { self.losses += 1 }
}
