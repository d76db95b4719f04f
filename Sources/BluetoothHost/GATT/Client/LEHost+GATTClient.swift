// The host's GATT client for the user: procedures and write commands, in the order of the calls.

import BluetoothTypes
public import NIOCore

extension LEHost {
    /// The ATT MTU of a link; 23 until it was exchanged.
    public func mtu(of link: LinkID) -> Int { self.openLinks[link]?.bearer.mtu ?? ATT.defaultMTU }

    /// Reports the ATT MTU of a link when its turn comes after everything that was asked for before, such as the
    /// exchange with which a central begins.
    package func readMTU(of link: LinkID, completion: @escaping (Result<Int, GATTError>) -> Void) {
        self.perform(ExchangeMTU(preferred: nil), on: link, completion: completion)
    }

    // MARK: Procedures

    /// Runs a GATT procedure on a link, after all earlier calls.
    /// - Parameters:
    ///   - procedure: The procedure, such as ``ReadValue`` or ``DiscoverPrimaryServices``.
    ///   - link: The link. Without one, the procedure ends with ``GATTError/notConnected``.
    ///   - completion: Called once with the result, on the host's loop and never from inside this call.
    @inlinable
    public func perform<Procedure: GATTProcedure>(
        _ procedure: Procedure,
        on link: LinkID,
        completion: @escaping (Result<Procedure.Output, GATTError>) -> Void
    ) {
        self.perform(GATTProcedureOperation(procedure, completion: completion), on: link)
    }

    /// Runs a GATT procedure that is created when its turn comes, when all earlier results are known.
    /// - Parameters:
    ///   - link: The link. Without one, the procedure ends with ``GATTError/notConnected``.
    ///   - isNext: Whether it goes to the head of the queue.
    ///   - make: Called at most once. If it returns `nil`, `completion` is not called, and the next procedure begins.
    ///   - completion: As in ``perform(_:on:completion:)``.
    @inlinable
    public func perform<Procedure: GATTProcedure>(
        on link: LinkID,
        isNext: Bool = false,
        whenItsTurnComes make: @escaping () -> Procedure?,
        completion: @escaping (Result<Procedure.Output, GATTError>) -> Void
    ) {
        self.perform(GATTProcedureOperation(make(), completion: completion), on: link, isNext: isNext)
    }

    /// Puts an operation into the queue of a link: at its end, or at its head to repeat an operation that the server
    /// has answered with Database Out Of Sync (Vol 3, Part G, 2.5.2.1). If this is called when the operation is
    /// reported, the repetition stands behind the validation that
    /// ``LEHostDelegate/host(_:didFindDatabaseOutOfSyncOn:)`` asks for.
    public func perform(_ operation: GATTOperation, on link: LinkID, isNext: Bool = false) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else {
            operation.open()
            operation.end(.notConnected)
            return self.afterwards { operation.report() }
        }
        link.client.perform(operation, isNext: isNext, on: &link.bearer, into: &link.bearerActions)
        self.noteWork(link)
    }

    /// Removes an operation from the queue. One that runs goes on, and its result is not reported.
    public func cancel(_ operation: GATTOperation, on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.client.cancel(operation, on: &link.bearer)
        self.noteWork(link)
    }

    // MARK: Write commands

    /// Sends a Write Command of at most MTU - 3 octets after all earlier calls. It may leave while the answer to a
    /// request is awaited, unless the operation is exclusive.
    ///
    /// While the link is open, each call is counted once by ``LEHostDelegate/host(_:link:didTransmit:for:)`` for its
    /// token.
    public func writeWithoutResponse(
        _ value: consuming ByteBuffer,
        to handle: AttributeHandle,
        on link: LinkID,
        token: TransmitToken = .standard
    ) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.client.writeCommand(handle, value, token, on: &link.bearer, into: &link.bearerActions)
        self.noteWork(link)
    }

    /// Removes the Write Commands to these handles from the queue; they are counted as if they had left.
    package func cancelWritesWithoutResponse(to handles: AttributeHandleRange, on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        link.client.dropCommands(to: handles, into: &link.bearerActions)
        self.noteWork(link)
    }

    // MARK: The cached database

    /// Validates the cached database of the server again, before everything that waits. On a link that was opened as
    /// central the host has done so by itself.
    ///
    /// If a database was validated on this link before, only its Database Hash is read, unless that has changed.
    /// Otherwise the delegate is asked for the cached database when the turn comes. The delegate gets the result. This
    /// validation replaces one that has not ended yet.
    package func validateDatabaseCache(on link: LinkID) {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link] else { return }
        self.validateDatabaseCache(on: link)
        self.noteWork(link)
    }

    /// Has the server's database discovered again, since the link has become more secure: before that, another device
    /// may have answered, or changed the answers. The request that was refused because the link was not secure ends as
    /// if the server had answered Database Out Of Sync, which is also reported to the delegate.
    /// - Returns: False if no request was sent on this link, so that nothing is known of the database.
    package func distrustDatabase(on link: LinkID) -> Bool {
        self.assertOnEventLoop()
        guard let link = self.openLinks[link], link.client.hasAsked else { return false }
        link.client.distrustDatabase(on: &link.bearer, now: self.eventLoop.now, into: &link.bearerActions)
        self.noteWork(link)
        return true
    }

    func validateDatabaseCache(on link: HostLink) {
        if let earlier = link.validation { link.client.cancel(earlier, on: &link.bearer) }
        let validation = GATTProcedureOperation(self.makeValidation(of: link)) { [unowned self, unowned link] result in
            guard link.isOpen else { return }
            link.validation = nil
            let validation = (try? result.get()) ?? .noDatabaseHash
            link.client.validatedDatabase = validation.database
            self.delegate?.host(self, link: link.id, didValidateDatabaseCache: validation)
        }
        link.validation = validation
        link.client.perform(validation, isNext: true, on: &link.bearer, into: &link.bearerActions)
    }

    private func makeValidation(of link: HostLink) -> ValidateDatabaseCache {
        link.client.validatedDatabase.map(ValidateDatabaseCache.init(validated:))
            ?? ValidateDatabaseCache(cached: self.delegate?.host(self, cachedDatabaseAt: link.information))
    }
}
