// The recipe "Combine" of the page "Porting an app": the files of an app say `import OpenCombineShim` instead of
// `import Combine`, and one file has what OpenCombine and Foundation on Linux lack.

import CoreBluetooth
import OpenCombineShim

#if !canImport(Combine)
import CoreBluetoothObservation

extension Publisher {
    func merge<Other: Publisher>(with other: Other) -> AnyPublisher<Output, Failure>
    where Other.Output == Output, Other.Failure == Failure {
        [self.eraseToAnyPublisher(), other.eraseToAnyPublisher()].publisher
            .setFailureType(to: Failure.self)
            .flatMap { $0 }
            .eraseToAnyPublisher()
    }
}

extension KeyValueObservable {
    func publisher<Value: Equatable>(for keyPath: KeyPath<Self, Value>) -> AnyPublisher<Value, Never> {
        Deferred { () -> AnyPublisher<Value, Never> in
            let values = CurrentValueSubject<Value, Never>(self[keyPath: keyPath])
            let observation = self.observe(keyPath, options: .new) { _, change in change.newValue.map(values.send) }
            return values.handleEvents(receiveCancel: observation.invalidate).eraseToAnyPublisher()
        }
        .eraseToAnyPublisher()
    }
}
#endif

/// A manager's state for a screen.
public final class BluetoothStatus: ObservableObject {
    /// In one word.
    @Published public private(set) var text = "…"
    private var cancellables: Set<AnyCancellable> = []

    /// Follows a manager.
    public init(_ central: CBCentralManager) {
        let state = central.publisher(for: \.state).map { $0 == .poweredOn ? "ready" : "not ready" }
        let scan = central.publisher(for: \.isScanning).filter { $0 }.map { _ in "scanning" }
        state.merge(with: scan)
            .sink { [weak self] text in self?.text = text }
            .store(in: &self.cancellables)
    }
}
