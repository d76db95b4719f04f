// The host's GATT server for the user: the database, answers to requests, notifications and indications.

import BluetoothHCI
import BluetoothTypes
public import NIOCore

extension LEHost {
    // MARK: Database

    /// Adds a service to the database; subscribed clients are informed.
    public func addService(_ service: GATTServiceDefinition) throws(GATTDatabaseError) -> GATTServiceHandles {
        self.assertOnEventLoop()
        let handles = try self.server.add(service)
        self.published[handles.range.lowerBound] = PublishedService(definition: service, handles: handles)
        self.databaseChanged(in: handles.range)
        return handles
    }

    /// Removes the service whose declaration has `handle`; subscribed clients are informed.
    public func removeService(_ handle: AttributeHandle) {
        self.assertOnEventLoop()
        guard let range = self.server.remove(handle) else { return }
        self.published[handle] = nil
        self.databaseChanged(in: range)
    }

    private func databaseChanged(in range: AttributeHandleRange) {
        self.onPublishedChange?()
        let now = self.eventLoop.now
        for link in self.openLinks.all {
            self.server.databaseChanged(in: range, on: &link.bearer, now: now, into: &link.bearerActions)
            self.noteWork(link)
        }
    }

    /// The error that every discovery gets, as of a device that is not ready; `nil` for none.
    package var discoveryError: ATTErrorCode? {
        get { self.server.discoveryError }
        set {
            self.assertOnEventLoop()
            self.server.discoveryError = newValue
        }
    }

    // MARK: Requests

    /// Answers a read with the octets from the request's offset on. An answer to a request that is no longer open is
    /// ignored.
    public func respond(to request: GATTRequestID, with result: Result<ByteBuffer, ATTErrorCode>) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[request.link] else { return }
        self.server.respond(to: request, with: result, on: &link.bearer, into: &link.bearerActions)
        self.noteWork(link)
    }

    /// Answers a write; `nil` accepts it. An answer to a request that is no longer open is ignored.
    public func respond(to request: GATTRequestID, error: ATTErrorCode?) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[request.link] else { return }
        self.server.respond(to: request, error: error, on: &link.bearer, into: &link.bearerActions)
        self.noteWork(link)
    }

    // MARK: Values

    /// Queues a notification, or an indication if the client has subscribed to indications only, truncated to MTU - 3
    /// octets. Nothing is sent if the client is not subscribed. Each call leads to one count in
    /// ``LEHostDelegate/host(_:link:didTransmit:for:)`` for its token, unless the link ends first; an indication counts
    /// when it is confirmed.
    ///
    /// - Returns: False if there is no such link, so that nothing is counted.
    @discardableResult
    public func notify(
        _ value: consuming ByteBuffer,
        characteristic handle: AttributeHandle,
        to link: LinkID,
        token: TransmitToken = .standard
    ) -> Bool {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return false }
        self.server.notify(
            value,
            characteristic: handle,
            token: token,
            on: &link.bearer,
            now: self.eventLoop.now,
            into: &link.bearerActions
        )
        self.noteWork(link)
        return true
    }

    /// Queues a notification even for a client that is not subscribed, truncated to MTU - 3 octets.
    ///
    /// This violates Vol 3, Part G, 3.3.3.3, as some devices do. It is counted for its token, if any.
    ///
    /// - Returns: False if there is no such link, so that nothing is counted.
    @discardableResult
    package func notifyUnconditionally(
        _ value: ByteBuffer,
        characteristic handle: AttributeHandle,
        to link: LinkID,
        token: TransmitToken? = nil
    ) -> Bool {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return false }
        self.server.notifyUnconditionally(
            value,
            characteristic: handle,
            token: token,
            on: &link.bearer,
            into: &link.bearerActions
        )
        self.noteWork(link)
        return true
    }

    static func serverConfiguration(_ configuration: LEHostConfiguration) -> GATTServer.Configuration {
        GATTServer.Configuration(
            deviceName: configuration.deviceName,
            appearance: configuration.appearance,
            hasPrivacy: configuration.privacy != nil,
            genericAttribute: configuration.genericAttribute
        )
    }
}
